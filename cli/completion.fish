# Completion of assay for fish, written by 'assay completion fish'.

function __assay_offers
    set -l words (commandline -opc) (commandline -ct)
    # Of --out=DIR the value is completed.
    set -l before (string match -r -- '^--[^=]+=' $words[-1])
    set -l value (string replace -- "$before" '' $words[-1])
    set -l lines ($words[1] completion --offers -- $words[2..-1] 2>/dev/null)
    switch "$lines[1]"
        case file
            set lines '' (__fish_complete_path "$value")
        case folder
            set lines '' (__fish_complete_directories "$value")
        case scenario
            set lines '' (__fish_complete_suffix "$value" .scenario)
    end
    for line in $lines[2..-1]
        # Options come where one is begun.
        if string match -q -- '-*' $value; or not string match -q -- '-*' $line
            printf '%s%s\n' "$before" $line
        end
    end
end

complete -c assay -f -a '(__assay_offers)'
