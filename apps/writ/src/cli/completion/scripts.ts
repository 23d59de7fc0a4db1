/** Shells that there is a script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** What `writ complete` prints where the shell's own completion of paths is wanted. */
export const PATHS_MARK = ':paths';

const BASH = `# writ completion bash: put it into ~/.bashrc as: source <(writ completion bash)
_writ() {
  local line word begun=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${PATHS_MARK} ]]; then
      compopt -o default 2>/dev/null
      continue
    fi
    word=\${line%%$'\\t'*}
    if [[ $word == "$begun"* ]]; then
      printf -v word '%q' "$word"
      COMPREPLY+=("$word")
    fi
  done < <(command writ complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _writ writ
`;

const ZSH = `#compdef writ
# writ completion zsh: put it into ~/.zshrc, behind compinit, as: source <(writ completion zsh)
_writ() {
  local line word paths=0
  local -a described
  for line in "\${(@f)$(command writ complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    if [[ $line == ${PATHS_MARK} ]]; then
      paths=1
    elif [[ -n $line ]]; then
      word=\${line%%$'\\t'*}
      described+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#described )) && _describe -t writ 'writ' described
  (( paths )) && _files
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _writ "$@"
else
  compdef _writ writ
fi
`;

const FISH = `# writ completion fish: writ completion fish > ~/.config/fish/completions/writ.fish
function __writ_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (command writ complete -- $words[2..-1] 2>/dev/null </dev/null)
    if test "$line" = ${PATHS_MARK}
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c writ -f -a '(__writ_complete)'
`;

/** The script that a shell reads. It asks \`writ complete\` each time, so that it never goes out of date. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
