# shellcheck shell=bash
# Holdfast in a sandbox: as the manifests say, with what all drivers of a cluster share.

readonly driver=csi.holdfast.dev

# The sidecars come last: those that find no driver end, and are started again later and later.
deploy_holdfast() {
  local n
  export KUBECONFIG=$data/kubeconfig
  {
    kubectl apply -f "$data/crds/" && kubectl apply -f "$HOLDFAST_HOME/deploy/crds/" &&
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

# With fewer nodes than replicas, volumes would be degraded.
manifests() {
  local replicas=$((nodes < 3 ? nodes : 3)) environment=''
  if [ -n "${HOLDFAST_JAVA_OPTS:-}" ]; then
    environment="            - name: HOLDFAST_JAVA_OPTS\\n              value: \"$HOLDFAST_JAVA_OPTS\"\\n"
  fi
  awk -v replicas="$replicas" -v environment="$environment" '
    / numberOfReplicas: / { sub(/"3"/, "\"" replicas "\"") }
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
