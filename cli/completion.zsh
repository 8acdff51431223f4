#compdef assay
# Completion of assay for zsh, written by 'assay completion zsh' into a file _assay of $fpath.

# @tables@

# The settings of the plugin that another option names.
_assay_setting ()
{
  local option
  local -a offers

  for option in --defense -d --attack -a --metric -m; do
    if [[ -n ${opt_args[$option]} ]]; then
      _assay_settings ${opt_args[$option]}
      compadd -S '' -a offers
      return
    fi
  done
}

# What --set can change in the scenario that stands on the line.
_assay_key ()
{
  local word
  local -a keys

  for word in $words; do
    [[ -f $word ]] || continue
    keys=(${(f)"$(assay completion --keys-of $word 2> /dev/null)"})
    compadd -S '' -a keys
    return
  done
}

_assay_scenario ()
{
  _files -g '*.scenario(-.)'
}

_assay ()
{
  local curcontext=$curcontext state line name
  typeset -A opt_args

  _arguments -C '(- *)'{-h,--help}'[Show help]' '(- *)--version[Show the version]' \
    '1: :_assay_commands' '*:: :->rest' && return
  [[ $state == rest ]] || return
  name=$words[1]
  if [[ $name == dataset ]]; then
    _arguments -C '1: :_assay_dataset' '*:: :->inner' && return
    [[ $state == inner ]] || return
    name="dataset $words[1]"
  fi
  _assay_arguments $name
}

if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
