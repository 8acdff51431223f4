# Completion of assay for fish, written by 'assay completion fish'.

# Whether the line begins with the command that the arguments name.
function __assay_is
    set -l words (commandline -opc)
    for i in (seq (count $argv))
        set -l at (math $i + 1)
        test "$words[$at]" = "$argv[$i]"; or return 1
    end
end

function __assay_words
    test (count (commandline -opc)) -eq $argv[1]
end

# The settings of the plugin that another option names.
function __assay_setting
    set -l words (commandline -opc)
    for i in (seq (count $words))
        set -l name (string replace -r -- '^--(defense|attack|metric)=' '' $words[$i])
        if contains -- $words[$i] --defense -d --attack -a --metric -m
            set -l at (math $i + 1)
            set name $words[$at]
        end
        test "$name" != "$words[$i]"; and __assay_settings $name; and return
    end
end

# What --set can change in the scenario that stands on the line.
function __assay_key
    for word in (commandline -opc)[2..-1]
        if test -f $word
            assay completion --keys-of $word 2>/dev/null
            return
        end
    end
end

complete -c assay -f
complete -c assay -s h -l help -d 'Show help'
# @tables@
