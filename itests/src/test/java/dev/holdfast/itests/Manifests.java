package dev.holdfast.itests;

import java.util.List;

/** Kubernetes manifests of the tests. */
final class Manifests {
  /** Appends numbers, prints each one after it was synced, and resumes after the last one. */
  private static final String WRITER =
      "touch /data/log || exit 1; n=$(wc -l < /data/log); while true; do n=$((n + 1));"
          + " echo $n >> /data/log && sync -d /data/log || exit 1; echo $n; sleep 0.05; done";

  /** The same in two volumes, one after the other. */
  private static final String WRITER_OF_TWO =
      "touch /data/log /more/log || exit 1; n=$(wc -l < /more/log); while true; do n=$((n + 1));"
          + " echo $n >> /data/log && sync -d /data/log || exit 1;"
          + " echo $n >> /more/log && sync -d /more/log || exit 1; echo $n; done";

  private static final String IDLE = "sleep infinity";

  private static final String CLAIM =
      """
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: %s}
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: %s
        volumeMode: %s
        dataSource: %s
        resources: {requests: {storage: %s}}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: %s}
      spec:
        terminationGracePeriodSeconds: 1
        nodeSelector: {kubernetes.io/hostname: node-%d}
        containers:
        - name: main
          image: localhost/busybox:1
          command: [sh, -c, '%s']
          %s
        volumes:
        - name: data
          %s
      """;

  private static final String STATEFUL =
      """
      apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: %1$s}
      spec:
        serviceName: %1$s
        selector: {matchLabels: {app: %1$s}}
        template:
          metadata: {labels: {app: %1$s}}
          spec:
            terminationGracePeriodSeconds: 1
            tolerations:
            - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: %2$d}
            - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: %2$d}
            containers:
            - name: main
              image: localhost/busybox:1
              command: [sh, -c, '%3$s']
              %4$s
        volumeClaimTemplates:
        - metadata: {name: data}
          spec:
            accessModes: [ReadWriteOnce]
            storageClassName: holdfast
            resources: {requests: {storage: 64Mi}}
      """;

  private static final String MOUNT = "volumeMounts: [{name: data, mountPath: /data}]";
  private static final String DEVICE = "volumeDevices: [{name: data, devicePath: /dev/volume}]";

  private static final String MOUNTS =
      "volumeMounts: [{name: data, mountPath: /data}, {name: more, mountPath: /more}]";

  private Manifests() {}

  static String claim(String name, String size) {
    return CLAIM.formatted(name, "holdfast", "Filesystem", "null", size);
  }

  static String claimOfXfs(String name, String size) {
    return CLAIM.formatted(name, "holdfast-xfs", "Filesystem", "null", size);
  }

  static String blockClaim(String name, String size) {
    return CLAIM.formatted(name, "holdfast", "Block", "null", size);
  }

  static String restored(String name, String size, String snapshot) {
    String source =
        "{apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: " + snapshot + "}";
    return CLAIM.formatted(name, "holdfast", "Filesystem", source, size);
  }

  static String cloned(String name, String size, String claim) {
    String source = "{kind: PersistentVolumeClaim, name: " + claim + "}";
    return CLAIM.formatted(name, "holdfast", "Filesystem", source, size);
  }

  static String snapshot(String name, String claim) {
    return """
    apiVersion: snapshot.storage.k8s.io/v1
    kind: VolumeSnapshot
    metadata: {name: %s}
    spec:
      volumeSnapshotClassName: holdfast
      source: {persistentVolumeClaimName: %s}
    """
        .formatted(name, claim);
  }

  /** Of all claims that have the label {@code group}. */
  static String groupSnapshot(String name, String group) {
    return """
    apiVersion: groupsnapshot.storage.k8s.io/v1
    kind: VolumeGroupSnapshot
    metadata: {name: %s}
    spec:
      volumeGroupSnapshotClassName: holdfast
      source: {selector: {matchLabels: {group: %s}}}
    """
        .formatted(name, group);
  }

  static String writer(String name, int node, String claim) {
    return POD.formatted(name, node, WRITER, MOUNT, ofClaim(claim));
  }

  /**
   * One pod, {@code NAME-0}, with the claim {@code data-NAME-0}.
   *
   * @param tolerated seconds that its node may be away before Kubernetes wants it elsewhere
   */
  static String statefulWriter(String name, int tolerated) {
    return STATEFUL.formatted(name, tolerated, WRITER, MOUNT);
  }

  /** Wherever the scheduler puts it. */
  static String idleAnywhere(String name, String claim) {
    return idle(name, 1, claim).replaceAll(" *nodeSelector: .*\n", "");
  }

  static String claimOf(String name, String storageClass) {
    return CLAIM.formatted(name, storageClass, "Filesystem", "null", "64Mi");
  }

  /**
   * A class of volumes.
   *
   * @param binding when a claim of it is bound
   * @param parameters of it, as YAML
   * @param allowed nodes that its volumes may be used on, none for all
   */
  static String storageClass(String name, String binding, String parameters, String... allowed) {
    String topologies =
        allowed.length == 0
            ? "null"
            : "[{matchLabelExpressions: [{key: topology.csi.holdfast.dev/node, values: "
                + List.of(allowed)
                + "}]}]";
    return """
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata: {name: %s}
    provisioner: csi.holdfast.dev
    volumeBindingMode: %s
    parameters: %s
    allowedTopologies: %s
    """
        .formatted(name, binding, parameters, topologies);
  }

  static String idle(String name, int node, String claim) {
    return POD.formatted(name, node, IDLE, MOUNT, ofClaim(claim));
  }

  /** Each number is synced in the first volume before it is written to the second. */
  static String writerOfTwo(String name, int node, String first, String second) {
    return POD.formatted(name, node, WRITER_OF_TWO, MOUNTS, ofClaims(first, second));
  }

  static String idleWithTwo(String name, int node, String first, String second) {
    return POD.formatted(name, node, IDLE, MOUNTS, ofClaims(first, second));
  }

  static String withDevice(String name, int node, String claim) {
    return POD.formatted(name, node, IDLE, DEVICE, ofClaim(claim));
  }

  private static String ofClaim(String claim) {
    return "persistentVolumeClaim: {claimName: " + claim + "}";
  }

  private static String ofClaims(String first, String second) {
    return ofClaim(first) + "\n  - name: more\n    " + ofClaim(second);
  }

  /** The claim is called after the pod and the volume: {@code NAME-data}. */
  static String withEphemeral(String name, int node, String size) {
    String volume =
        "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce],"
            + " storageClassName: holdfast, resources: {requests: {storage: "
            + size
            + "}}}}}";
    return POD.formatted(name, node, IDLE, MOUNT, volume);
  }
}
