# Completion of assay for bash, written by 'assay completion bash'.
#
#   source <(assay completion bash)

_assay ()
{
  local current=${COMP_WORDS[COMP_CWORD]} i word
  local -a words=() lines=()

  # bash takes --out=DIR for three words.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((i > 1)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == = ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  [[ $current == = ]] && current=''
  mapfile -t lines < <("${COMP_WORDS[0]}" completion --offers -- "${words[@]}" 2> /dev/null)
  COMPREPLY=()
  case ${lines[0]} in
  file | folder | scenario) compopt -o filenames 2> /dev/null ;;
  assignments) compopt -o nospace 2> /dev/null ;;
  esac
  case ${lines[0]} in
  file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  folder) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  scenario)
    mapfile -t COMPREPLY < <(compgen -f -X '!*.scenario' -- "$current"; compgen -d -- "$current")
    ;;
  esac
  # Names of groups have blanks, which are typed escaped or within quotes.
  for word in "${lines[@]:1}"; do
    word=${word%%$'\t'*}
    if [[ $current == [\"\']* ]]; then
      [[ $word == "${current:1}"* ]] && COMPREPLY+=("$word")
    elif [[ $word == "${current//\\/}"* ]]; then
      printf -v word '%q' "$word"
      COMPREPLY+=("$word")
    fi
  done
}

complete -F _assay assay
