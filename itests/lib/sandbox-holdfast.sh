# shellcheck shell=bash
# Deploys Holdfast in a sandbox from the manifests, with the parts that all CSI drivers of a cluster
# share.

readonly driver=csi.holdfast.dev

# Starts the sidecars last: without a driver they exit, and the kubelet restarts them with growing
# delays.
deploy_holdfast() {
  local n
  export KUBECONFIG=$data/kubeconfig
  {
    start_store && kubectl apply -f "$data/crds/" && store_kinds &&
      manifests > "$data/holdfast.yaml" &&
      kubectl apply -f "$data/holdfast.yaml" --selector 'app.kubernetes.io/component!=controller' &&
      await 60 "snapshots are known" kubectl get volumesnapshotclasses,volumegroupsnapshotclasses &&
      classes | kubectl apply -f -
  } > "$data/log/deploy.log" 2>&1 || { cat "$data/log/deploy.log" >&2; return 1; }
  start snapshot-controller snapshot-controller --kubeconfig="$data/admin.kubeconfig" \
    --feature-gates=CSIVolumeGroupSnapshot=true
  for ((n = 1; n <= nodes; n++)); do
    await 600 "node-$n is ready and has the driver" node_has_driver "$n" || return
  done
  kubectl apply -f "$data/holdfast.yaml" >> "$data/log/deploy.log" 2>&1 || return
  await 120 "the sidecars run" kubectl --namespace holdfast-system wait --for=condition=Available \
    deployment/holdfast-controller --timeout=5s
}

readonly store_url=http://$plane_address:3379

# Starts a separate etcd for Holdfast, because the nodes compact their etcd. The etcd of the API
# server must not be compacted by another program.
start_store() {
  [ "$store" = etcd ] || return 0
  start holdfast-etcd etcd --data-dir="$data/holdfast-etcd" --listen-client-urls="$store_url" \
    --advertise-client-urls="$store_url" --listen-peer-urls=http://127.0.0.1:3380 \
    --initial-advertise-peer-urls=http://127.0.0.1:3380 --initial-cluster=default=http://127.0.0.1:3380 \
    --unsafe-no-fsync --log-level=warn
  await 60 "the etcd of Holdfast answers" curl -fsS --noproxy '*' "$store_url/health" &&
    ln -s node-1/var/lib/holdfast/kubeconfig "$data/holdfast.kubeconfig"
}

store_kinds() {
  [ "$store" = etcd ] || kubectl apply -f "$HOLDFAST_HOME/deploy/crds/"
}

# Prints the manifests for this sandbox. The number of replicas is at most the number of nodes,
# because volumes would otherwise be degraded. The options of the store are those that the chart
# renders.
manifests() {
  local replicas=$((nodes < 3 ? nodes : 3)) environment=''
  if [ -n "${HOLDFAST_JAVA_OPTS:-}" ]; then
    environment="            - name: HOLDFAST_JAVA_OPTS\\n              value: \"$HOLDFAST_JAVA_OPTS\"\\n"
  fi
  awk -v replicas="$replicas" -v environment="$environment" \
    -v endpoints="$([ "$store" != etcd ] || printf %s "$store_url")" '
    / numberOfReplicas: / { sub(/"3"/, "\"" replicas "\"") }
    endpoints && / - --store=kubernetes$/ {
      sub(/kubernetes$/, "etcd")
      print
      sub(/--store=etcd$/, "--endpoints=" endpoints)
    }
    endpoints && / - --namespace=/ { next }
    { print }
    / - --csi-max-volumes=/ { node = 1 }
    node && /^          env:/ { printf "%s", environment; node = 0 }
  ' "$HOLDFAST_HOME/deploy/manifests/holdfast.yaml"
}

node_has_driver() { # N
  kubectl wait --for=condition=Ready "node/node-$1" --timeout=1s &&
    kubectl --namespace holdfast-system wait --for=condition=Ready pod --timeout=1s \
      --selector app.kubernetes.io/component=node --field-selector "spec.nodeName=node-$1" &&
    kubectl get csinode "node-$1" -o 'jsonpath={.spec.drivers[*].name}' | grep -q "$driver"
}

classes() {
  cat <<CLASSES
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: holdfast-xfs}
provisioner: $driver
allowVolumeExpansion: true
volumeBindingMode: WaitForFirstConsumer
parameters: {numberOfReplicas: "$((nodes < 3 ? nodes : 3))", fsType: xfs}
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: {name: holdfast}
driver: $driver
deletionPolicy: Delete
---
apiVersion: groupsnapshot.storage.k8s.io/v1
kind: VolumeGroupSnapshotClass
metadata: {name: holdfast}
driver: $driver
deletionPolicy: Delete
CLASSES
}
