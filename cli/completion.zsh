#compdef assay
# Completion of assay for zsh, written by 'assay completion zsh' into a file _assay of $fpath.

_assay ()
{
  local line
  local -a lines offers

  lines=(${(f)"$(${words[1]} completion --offers -- "${(@Q)words[2,CURRENT]}" 2> /dev/null)"})
  for line in ${lines[2,-1]}; do
    # "word:what it is"; a colon in the word is escaped.
    offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  compset -P '--*='
  case $lines[1] in
  file) _files ;;
  folder) _files -/ ;;
  scenario) _files -g '*.scenario(-.)' ;;
  assignments) _describe -t offers offer offers -S '' ;;
  words) _describe -t offers offer offers ;;
  esac
}

if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
