# Completion of assay for bash, written by 'assay completion bash'.
#
#   source <(assay completion bash)

# @tables@

# The plugin whose settings are asked for: "defense lifting".
_assay_named ()
{
  local i kind

  for ((i = 2; i + 1 < ${#COMP_WORDS[@]}; i++)); do
    kind=$(_assay_value "$1" "${COMP_WORDS[i]}")
    case $kind in
    defense | attack | metric)
      [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
      printf '%s %s\n' "$kind" "${COMP_WORDS[i + 1]}"
      return
      ;;
    esac
  done
}

# What --set can change in the scenario that stands on the line. Names of groups have blanks.
_assay_keys ()
{
  local current=$1 word line

  for word in "${COMP_WORDS[@]:2}"; do
    [[ -f $word ]] || continue
    while IFS= read -r line; do
      case $current in
      [\"\']*) [[ $line == "${current:1}"* ]] && COMPREPLY+=("$line") ;;
      *) [[ $line == "${current//\\/}"* ]] && COMPREPLY+=("$(printf '%q' "$line")") ;;
      esac
    done < <("${COMP_WORDS[0]}" completion --keys-of "$word" 2> /dev/null)
    return
  done
}

_assay ()
{
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} kind=''

  COMPREPLY=()
  # bash takes --out=DIR for three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    kind=commands
  elif [[ $command == dataset ]]; then
    if ((COMP_CWORD == 2)); then kind=dataset; else command="dataset ${COMP_WORDS[2]}"; fi
  fi
  [[ -z $kind && $previous == -* ]] && kind=$(_assay_value "$command" "$previous")
  if [[ -z $kind ]]; then
    if [[ $current == -* ]]; then kind="options $command"; else kind=$(_assay_word "$command"); fi
  fi
  case $kind in
  file | folder | scenario) compopt -o filenames 2> /dev/null ;;
  setting | key) compopt -o nospace 2> /dev/null ;;
  esac
  case $kind in
  file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  folder) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  scenario)
    mapfile -t COMPREPLY < <(compgen -f -X '!*.scenario' -- "$current"; compgen -d -- "$current")
    ;;
  key) _assay_keys "$current" ;;
  setting)
    kind="settings $(_assay_named "$command")"
    mapfile -t COMPREPLY < <(compgen -W "$(_assay_offers "$kind")" -- "$current")
    ;;
  'choice '*) mapfile -t COMPREPLY < <(compgen -W "${kind#choice }" -- "$current") ;;
  *) mapfile -t COMPREPLY < <(compgen -W "$(_assay_offers "$kind")" -- "$current") ;;
  esac
}

complete -F _assay assay
