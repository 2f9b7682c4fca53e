package dev.holdfast.itests;

/** What the tests ask of Kubernetes. */
final class Manifests {
  /** Appends numbers, tells of each after it was synced, and goes on where it was. */
  private static final String WRITER =
      "touch /data/log || exit 1; n=$(wc -l < /data/log); while true; do n=$((n + 1));"
          + " echo $n >> /data/log && sync -d /data/log || exit 1; echo $n; sleep 0.05; done";

  private static final String IDLE = "sleep infinity";

  private static final String CLAIM =
      """
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: %s}
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: holdfast
        volumeMode: %s
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

  private static final String MOUNT = "volumeMounts: [{name: data, mountPath: /data}]";
  private static final String DEVICE = "volumeDevices: [{name: data, devicePath: /dev/volume}]";

  private Manifests() {}

  static String claim(String name, String size) {
    return CLAIM.formatted(name, "Filesystem", size);
  }

  static String blockClaim(String name, String size) {
    return CLAIM.formatted(name, "Block", size);
  }

  static String writer(String name, int node, String claim) {
    return POD.formatted(name, node, WRITER, MOUNT, ofClaim(claim));
  }

  static String withDevice(String name, int node, String claim) {
    return POD.formatted(name, node, IDLE, DEVICE, ofClaim(claim));
  }

  private static String ofClaim(String claim) {
    return "persistentVolumeClaim: {claimName: " + claim + "}";
  }
}
