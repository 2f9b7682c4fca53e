# shellcheck shell=bash
# Starts the control plane of a sandbox and creates its identities.

readonly plane_address=10.44.0.1
# Address at which pods find the API server. The sandbox does not forward service addresses, so
# start_network assigns this one to the loopback interface.
readonly service_address=10.96.0.1

start_network() {
  ip link set lo up &&
    ip address add "$service_address/32" dev lo &&
    ip link add hf0 type bridge &&
    ip address add "$plane_address/24" dev hf0 &&
    ip link set hf0 up &&
    sysctl -q -w net.ipv4.ip_forward=1
}

start_plane() {
  start_etcd && make_identities && start_api_server && start_controllers
}

start_etcd() {
  local url=http://$plane_address:2379
  start etcd etcd --data-dir="$data/etcd" --listen-client-urls="$url" --advertise-client-urls="$url" \
    --listen-peer-urls=http://127.0.0.1:2380 --unsafe-no-fsync --log-level=warn
  await 60 "etcd answers" curl -fsS --noproxy '*' "$url/health"
}

# Creates a token for each identity. RBAC and the node authorizer decide on its rights.
make_identities() {
  local n
  (
    umask 077
    openssl genrsa -out "$data/service-accounts.key" 2048 2> /dev/null
    {
      identity admin admin system:masters
      identity controllers system:kube-controller-manager
      identity scheduler system:kube-scheduler
      for ((n = 1; n <= nodes; n++)); do
        identity "node-$n" "system:node:node-$n" system:nodes
      done
    } > "$data/tokens.csv"
  )
}

identity() { # NAME USER [GROUP]
  local token
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s' "$token" > "$data/$1.token"
  printf '%s,%s,%s,"%s"\n' "$token" "$2" "$1" "${3:-}"
}

# Restarts a program whenever it ends, unless the file DATA/PROGRAM.away exists.
keep() { # PROGRAM [ARGUMENT...]
  while :; do
    [ -e "$data/$1.away" ] || "$@" || true
    sleep 0.2
  done
}

start_api_server() {
  local key=$data/service-accounts.key
  start kube-apiserver keep kube-apiserver --etcd-servers="http://$plane_address:2379" \
    --bind-address=0.0.0.0 --advertise-address="$plane_address" --secure-port=443 \
    --cert-dir="$data/certificates" --token-auth-file="$data/tokens.csv" \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$key" --service-account-signing-key-file="$key" \
    --service-cluster-ip-range=10.96.0.0/24 --authorization-mode=Node,RBAC \
    --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --kubelet-preferred-address-types=InternalIP
  await 120 "the API server is ready" api_is_ready && write_kubeconfigs
}

api_is_ready() {
  curl -fsS --noproxy '*' --cacert "$data/certificates/apiserver.crt" \
    -H "Authorization: Bearer $(cat "$data/admin.token")" "https://$plane_address/readyz"
}

write_kubeconfigs() {
  local token name
  for token in "$data"/*.token; do
    name=$(basename "$token" .token)
    kubeconfig_of "$name" > "$data/$name.kubeconfig"
  done
  ln -s admin.kubeconfig "$data/kubeconfig"
}

kubeconfig_of() { # NAME
  cat <<CONFIG
apiVersion: v1
kind: Config
clusters:
- name: sandbox
  cluster:
    server: https://$plane_address
    certificate-authority-data: $(base64 -w0 "$data/certificates/apiserver.crt")
users:
- name: $1
  user:
    token: $(cat "$data/$1.token")
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: $1
current-context: sandbox
CONFIG
}

start_controllers() {
  start kube-controller-manager kube-controller-manager \
    --kubeconfig="$data/controllers.kubeconfig" --leader-elect=false --secure-port=0 \
    --use-service-account-credentials --root-ca-file="$data/certificates/apiserver.crt" \
    --service-account-private-key-file="$data/service-accounts.key"
  start kube-scheduler kube-scheduler \
    --kubeconfig="$data/scheduler.kubeconfig" --leader-elect=false --secure-port=0
}
