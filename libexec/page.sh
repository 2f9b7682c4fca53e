# shellcheck shell=bash
# Prints the address of the web page with a code that signs in one browser.

node_page() {
  local data rest role=admin server answer
  take_data "$@"
  set -- "${rest[@]}"
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
      --role) role=$(value "$@") || exit; shift ;;
      *) misuse "page: unknown argument $1" ;;
    esac
    shift
  done
  case $role in
    admin | view) ;;
    *) misuse "page: unknown role \"$role\"; there are admin and view" ;;
  esac
  [ -e "$data/kubeconfig" ] || fail "no kubeconfig in $data yet; start the node with: holdfast up --data $data"
  server=$(kubeconfig_field server)
  answer=$(request_code "$server" "$role") ||
    fail "the node at $server did not issue a one-time address; see: holdfast status --data $data; holdfast logs --data $data"
  # The code is in the fragment after #, which browsers do not send to any server.
  printf '%s/page/#code=%s\n' "$server" "$(sed -n 's/.*"code":"\([^"]*\)".*/\1/p' <<< "$answer")"
  say "This address signs in once, within 60 s. Your browser does not know the node's certificate: its CA is $data/tls/ca.crt" >&2
}

# Retries for 15 s, because a node can be ready some seconds before the bundle of the page has
# started.
request_code() { # SERVER ROLE
  local deadline=$((SECONDS + 15))
  until ask_for_code "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.3
  done
}

ask_for_code() { # SERVER ROLE
  curl -sf --max-time 10 --noproxy '*' --cacert <(kubeconfig_field certificate-authority-data | base64 -d) \
    -X POST -H @- --data "{\"role\":\"$2\"}" "$1/page/v1/codes" \
    <<< "Authorization: Bearer $(kubeconfig_field token)"
}

kubeconfig_field() { # NAME
  sed -n "s/.*\"$1\" : \"\([^\"]*\)\".*/\1/p" "$data/kubeconfig"
}
