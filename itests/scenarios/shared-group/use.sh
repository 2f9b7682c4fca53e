# shellcheck shell=bash
# The commands of SHARED-GROUPS.md, "Use by volumes", line by line on two whole nodes.

while IFS= read -r line; do
  read -ra words <<< "$line"
  say "holdfast ${words[*]}"
  case $line in
    'volume endpoint '*) holdfast "${words[@]}" ;;
    *) wait_for "${words[@]}" ;; # the machines are slow
  esac
  case $line in
    'volume attach db '*)
      assert_equal attached "$(volume_field db state)"
      assert_equal "pool on node 1" "$(active_pools)"
      write_text 1 db 'written on node 1'
      ;;
    'volume optimize db '*)
      assert_equal "pool on node 2" "$(active_pools)"
      assert_equal 'written on node 1' "$(read_text 1 db)"
      write_text 1 db 'written through node 2'
      ;;
    'volume attach copy '*)
      assert_equal 'written through node 2' "$(read_text 2 copy)"
      ;;
  esac
done < <(document_commands)
assert_no_devices
