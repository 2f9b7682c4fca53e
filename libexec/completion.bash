# bash completion of holdfast, made from the table of commands by ReferenceFilesTest.
# Source it, or install it as /usr/share/bash-completion/completions/holdfast.
# shellcheck shell=bash

# Prints the words that can follow COMMAND [SUBCOMMAND].
_holdfast_words() { # WORD...
  case "$*" in
    '') echo 'audit backup check client cluster disk down event health help image kubeconfig log-level logs mount node page recurring-job replica role secret setting share shell snapshot status support-bundle system-backup ticket token umount up upgrade volume' ;;
    'audit') echo '--data --help --kind --name --output --since --user --verb' ;;
    'backup') echo 'add-target create delete delete-volume export extract get list ls mount remove-target sync targets unexport verify volumes' ;;
    'backup add-target') echo '--block-size --compression --data --encryption-secret --help --layout --name --no-wait --output --poll-interval --secret --timeout' ;;
    'backup create') echo '--data --full --help --name --no-wait --output --snapshot --target --timeout' ;;
    'backup delete') echo '--data --help --no-wait --output --timeout' ;;
    'backup delete-volume') echo '--data --help --no-wait --output --target --timeout' ;;
    'backup export') echo '--data --frontend --help --no-wait --node --output --timeout' ;;
    'backup extract') echo '--data --help --output --to --zero-damaged' ;;
    'backup get') echo '--data --help --output' ;;
    'backup list') echo '--data --help --output --target' ;;
    'backup ls') echo '--data --help --output' ;;
    'backup mount') echo '--data --help --output --timeout' ;;
    'backup remove-target') echo '--data --help --output' ;;
    'backup sync') echo '--data --help --no-wait --output --timeout' ;;
    'backup targets') echo '--data --help --output' ;;
    'backup unexport') echo '--data --help --output' ;;
    'backup verify') echo '--data --help --output --sample' ;;
    'backup volumes') echo '--data --help --output --target' ;;
    'check') echo '--data --help --output' ;;
    'client') echo 'add list remove rotate' ;;
    'client add') echo '--data --directory --expires --help --iqn --nqn --output --read-only --volume' ;;
    'client list') echo '--data --help --output' ;;
    'client remove') echo '--data --help --output' ;;
    'client rotate') echo '--data --directory --expires --help --output --overlap' ;;
    'cluster') echo 'authority backup restore' ;;
    'cluster authority') echo '--data --force --help --output' ;;
    'cluster backup') echo '--data --help --output' ;;
    'cluster restore') echo '--data --help --output --replace' ;;
    'disk') echo 'add cordon drain list remove uncordon' ;;
    'disk add') echo '--create --data --help --name --no-wait --node --output --tags --timeout --type' ;;
    'disk cordon') echo '--data --help --node --output' ;;
    'disk drain') echo '--data --help --no-wait --node --output --timeout' ;;
    'disk list') echo '--data --help --output' ;;
    'disk remove') echo '--data --help --node --output' ;;
    'disk uncordon') echo '--data --help --node --output' ;;
    'event') echo 'list' ;;
    'event list') echo '--data --for --help --output --type' ;;
    'health') echo '--data --help --output' ;;
    'image') echo 'backup backups cleanup create delete delete-backup download get list upload' ;;
    'image backup') echo '--data --help --no-wait --output --target --timeout' ;;
    'image backups') echo '--data --help --output --target' ;;
    'image cleanup') echo '--data --help --output' ;;
    'image create') echo '--checksum --copies --data --from-backup --from-image --from-volume --help --no-wait --output --parameter --source --target --timeout --url' ;;
    'image delete') echo '--data --help --no-wait --output --timeout' ;;
    'image delete-backup') echo '--data --help --no-wait --output --target --timeout' ;;
    'image download') echo '--data --format --help --output' ;;
    'image get') echo '--data --help --output' ;;
    'image list') echo '--data --help --output' ;;
    'image upload') echo '--checksum --copies --data --help --output --timeout' ;;
    'kubeconfig') echo '--data --help --output' ;;
    'log-level') echo '--data --for --help --node --output' ;;
    'mount') echo '--data --fs --help --node --output --persist --restore --timeout' ;;
    'node') echo 'add cordon drain get join list remove renew token uncordon wait' ;;
    'node add') echo '--data --help --output' ;;
    'node cordon') echo '--data --help --output' ;;
    'node drain') echo '--data --help --no-wait --output --timeout' ;;
    'node get') echo '--data --help --output' ;;
    'node join') echo '--address --data --help --name --output --token' ;;
    'node list') echo '--data --help --output' ;;
    'node remove') echo '--confirm --data --force --help --output' ;;
    'node renew') echo '--address --data --help --name --output' ;;
    'node token') echo '--data --help --output --ttl' ;;
    'node uncordon') echo '--data --help --output' ;;
    'node wait') echo '--data --help --output --timeout' ;;
    'recurring-job') echo 'add create delete get list remove resume suspend' ;;
    'recurring-job add') echo '--data --help --output' ;;
    'recurring-job create') echo '--concurrency --cron --data --deadline --full-interval --group --help --output --retain --skip-missed --target --task --time-zone --volume-backups' ;;
    'recurring-job delete') echo '--data --help --output' ;;
    'recurring-job get') echo '--data --help --output' ;;
    'recurring-job list') echo '--data --help --output' ;;
    'recurring-job remove') echo '--data --help --output' ;;
    'recurring-job resume') echo '--data --help --output' ;;
    'recurring-job suspend') echo '--data --help --output' ;;
    'replica') echo 'list' ;;
    'replica list') echo '--data --help --output --volume' ;;
    'role') echo 'list' ;;
    'role list') echo '--data --help --output' ;;
    'secret') echo 'delete list set' ;;
    'secret delete') echo '--data --help --output' ;;
    'secret list') echo '--data --help --output' ;;
    'secret set') echo '--data --from-file --help --output' ;;
    'setting') echo 'explain get list set unset' ;;
    'setting explain') echo '--data --help --output' ;;
    'setting get') echo '--data --help --output' ;;
    'setting list') echo '--data --help --output' ;;
    'setting set') echo '--data --help --output' ;;
    'setting unset') echo '--data --help --output' ;;
    'share') echo '--address --allow --data --help --key-file --key-secret --no-wait --output --read-only --squash --timeout clients get list mount stop trim' ;;
    'share clients') echo '--data --help --output' ;;
    'share get') echo '--data --help --output' ;;
    'share list') echo '--data --help --output' ;;
    'share mount') echo '--data --help --options --output --persist --timeout' ;;
    'share stop') echo '--data --force --help --no-wait --output --timeout' ;;
    'share trim') echo '--data --help --output --timeout' ;;
    'snapshot') echo 'create delete diff list purge revert' ;;
    'snapshot create') echo '--data --help --no-wait --output --timeout' ;;
    'snapshot delete') echo '--data --help --no-wait --output --timeout' ;;
    'snapshot diff') echo '--data --help --output --timeout' ;;
    'snapshot list') echo '--data --help --output' ;;
    'snapshot purge') echo '--data --help --no-wait --output --timeout' ;;
    'snapshot revert') echo '--confirm --data --help --no-wait --output --timeout' ;;
    'status') echo '--data --help --output' ;;
    'support-bundle') echo '--data --help --node --output --since --volume' ;;
    'system-backup') echo 'create delete get list restore' ;;
    'system-backup create') echo '--data --help --no-wait --output --selector --target --timeout --volume-backups' ;;
    'system-backup delete') echo '--data --help --no-wait --output --timeout' ;;
    'system-backup get') echo '--data --help --output' ;;
    'system-backup list') echo '--data --help --output' ;;
    'system-backup restore') echo '--data --help --lazy --name --no-volumes --no-wait --output --selector --target --timeout' ;;
    'ticket') echo 'delete list' ;;
    'ticket delete') echo '--data --force --help --output' ;;
    'ticket list') echo '--data --help --output --volume' ;;
    'token') echo 'create list remove rotate' ;;
    'token create') echo '--data --description --expires --help --output --role' ;;
    'token list') echo '--data --help --output' ;;
    'token remove') echo '--data --help --output' ;;
    'token rotate') echo '--data --help --output' ;;
    'umount') echo '--data --help --no-wait --output --persistent --timeout' ;;
    'upgrade') echo '--data --help --node --output --plan --restart --rollback --status --timeout' ;;
    'volume') echo 'activate attach create delete detach endpoint expand export get import list optimize purge salvage scrub set undelete why' ;;
    'volume activate') echo '--complete --data --help --no-wait --output --revert --timeout' ;;
    'volume attach') echo '--data --help --no-wait --node --output --timeout --ttl' ;;
    'volume create') echo '--access-mode --backup --clone-mode --data --engine --flatten --from --frontend --help --image --lazy --output --replicas --size --standby --timeout --wait' ;;
    'volume delete') echo '--cancel --data --grace --help --no-wait --output --timeout --when-detached' ;;
    'volume detach') echo '--confirm --data --force --help --no-wait --node --output --timeout' ;;
    'volume endpoint') echo '--data --help --output --remote' ;;
    'volume expand') echo '--data --help --no-wait --output --timeout' ;;
    'volume export') echo '--data --format --help --no-wait --output --snapshot --timeout' ;;
    'volume get') echo '--data --help --output' ;;
    'volume import') echo '--data --engine --format --frontend --help --image --longhorn --no-wait --output --replicas --size --timeout' ;;
    'volume list') echo '--data --deleted --help --output' ;;
    'volume optimize') echo '--any --data --help --no-wait --node --output --timeout' ;;
    'volume purge') echo '--confirm --data --help --no-wait --output --timeout' ;;
    'volume salvage') echo '--confirm --data --help --output --replica' ;;
    'volume scrub') echo '--cancel --data --help --no-wait --output --timeout' ;;
    'volume set') echo '--bandwidth --burst --data --freeze-filesystem-for-snapshot --help --iops --output --read-bandwidth --read-iops --unmap-mark-snap-chain-removed --write-bandwidth --write-iops' ;;
    'volume undelete') echo '--data --help --no-wait --output --timeout' ;;
    'volume why') echo '--data --help --output' ;;
  esac
}

_holdfast() {
  local word=${COMP_WORDS[COMP_CWORD]} words='' i
  local -a before=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] || before+=("${COMP_WORDS[i]}")
  done
  # The command has at most two words; what follows are its arguments.
  for ((i = 2; i >= 0 && ${#words} == 0; i--)); do
    [ "${#before[@]}" -lt "$i" ] || words=$(_holdfast_words "${before[@]:0:i}")
  done
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  # Without a word of a command, names of files.
  [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -o filenames -F _holdfast holdfast
