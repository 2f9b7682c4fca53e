package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pods of a real Kubernetes of three nodes use volumes: a user's request passes through the API
 * server, the CSI sidecars, the kubelet, Holdfast's own pods, and the host's devices and mounts.
 * One sandbox serves all tests; each takes away what it made, and nothing may be left of it.
 */
@Tag("soak")
class KubernetesE2E extends InSandbox {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  void aPodThatIsDeletedComesBackOnAnotherNodeWithAllThatItSynced() {
    sandbox.apply(Manifests.claim("moving", "64Mi"), Manifests.writer("mover", 1, "moving"));
    sandbox.awaitRunning("mover");
    long synced = writer("mover").awaitNumber(20);

    sandbox.delete("pod", "mover");
    sandbox.apply(Manifests.writer("mover", 2, "moving"));
    sandbox.awaitRunning("mover");

    writer("mover").awaitNumber(synced + 20);
    assertThat(writer("mover").first()).isGreaterThan(synced);
    writer("mover").assertWhole();
    sandbox.delete("pod", "mover");
    sandbox.deleteClaim("moving");
  }

  @Test
  void aClaimGrowsWhileItsPodWrites() {
    sandbox.apply(Manifests.claimOfXfs("grows", "320Mi"), Manifests.writer("grower", 3, "grows"));
    sandbox.awaitRunning("grower");
    long before = kibibytes("grower");
    writer("grower").awaitNumber(10);

    sandbox.kubectl(
        "patch",
        "pvc",
        "grows",
        "-p",
        "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"400Mi\"}}}}");
    sandbox.await(
        "pvc", "grows", pvc -> pvc.at("/status/capacity/storage").asText().equals("400Mi"));

    assertThat(kibibytes("grower")).isGreaterThan(before + 64 * 1024);
    writer("grower").awaitMore(20);
    writer("grower").assertWhole();
    writer("grower").assertNeverRestarted();
    sandbox.delete("pod", "grower");
    sandbox.deleteClaim("grows");
  }

  @Test
  void aSnapshotIsRestoredAndAVolumeIsCloned() {
    sandbox.apply(Manifests.claim("origin", "64Mi"), Manifests.idle("user", 1, "origin"));
    sandbox.awaitRunning("user");
    sandbox.in("user", "echo early > /data/text && sync");
    sandbox.apply(Manifests.snapshot("moment", "origin"));
    sandbox.await("volumesnapshot", "moment", s -> s.at("/status/readyToUse").asBoolean());
    sandbox.in("user", "echo late > /data/text && sync");

    sandbox.apply(
        Manifests.restored("from-snapshot", "64Mi", "moment"),
        Manifests.cloned("from-volume", "64Mi", "origin"),
        Manifests.idle("restored", 2, "from-snapshot"),
        Manifests.idle("cloned", 3, "from-volume"));
    sandbox.awaitRunning("restored");
    sandbox.awaitRunning("cloned");

    assertThat(sandbox.in("restored", "cat /data/text")).isEqualTo("early");
    assertThat(sandbox.in("cloned", "cat /data/text")).isEqualTo("late");
    assertThat(sandbox.in("user", "cat /data/text")).isEqualTo("late");
    sandbox.kubectl("delete", "pod", "restored", "cloned", "user", "--wait=false");
    List.of("restored", "cloned", "user").forEach(pod -> sandbox.awaitGone("pod", pod));
    sandbox.deleteClaim("from-snapshot");
    sandbox.deleteClaim("from-volume");
    sandbox.delete("volumesnapshot", "moment");
    sandbox.deleteClaim("origin");
  }

  /** The first volume has each number of the second one, and at most one number more. */
  @Test
  void groupSnapshotOfTwoVolumesIsConsistentWhileTheirPodWrites() {
    sandbox.apply(
        Manifests.claim("pair-a", "64Mi"),
        Manifests.claim("pair-b", "64Mi"),
        Manifests.writerOfTwo("pair", 2, "pair-a", "pair-b"));
    sandbox.kubectl("label", "pvc", "pair-a", "pair-b", "group=pair");
    sandbox.awaitRunning("pair");
    long earlier = writer("pair").awaitNumber(20);

    sandbox.apply(Manifests.groupSnapshot("both", "pair"));
    sandbox.await("volumegroupsnapshot", "both", g -> g.at("/status/readyToUse").asBoolean());
    long later = writer("pair").reported();
    writer("pair").awaitNumber(later + 20);
    sandbox.apply(
        Manifests.restored("pair-c", "64Mi", sandbox.snapshotInGroup("both", "pair-a")),
        Manifests.restored("pair-d", "64Mi", sandbox.snapshotInGroup("both", "pair-b")),
        Manifests.idleWithTwo("copies", 1, "pair-c", "pair-d"));
    sandbox.awaitRunning("copies");

    long first = Long.parseLong(sandbox.in("copies", "wc -l < /data/log"));
    long second = Long.parseLong(sandbox.in("copies", "wc -l < /more/log"));
    assertThat(second).isBetween(earlier, later + 1);
    assertThat(first).isBetween(second, second + 1);
    writer("pair").assertNeverRestarted();
    sandbox.kubectl("delete", "pod", "pair", "copies", "--wait=false");
    List.of("pair", "copies").forEach(pod -> sandbox.awaitGone("pod", pod));
    List.of("pair-c", "pair-d").forEach(sandbox::deleteClaim);
    sandbox.delete("volumegroupsnapshot", "both");
    List.of("pair-a", "pair-b").forEach(sandbox::deleteClaim);
  }

  @Test
  void aPodHasARawDeviceThatMovesWithIt() {
    sandbox.apply(Manifests.blockClaim("raw", "64Mi"), Manifests.withDevice("first", 2, "raw"));
    sandbox.awaitRunning("first");

    String read = "dd if=/dev/volume bs=64k skip=16 count=16 2>/dev/null | md5sum";
    sandbox.in("first", "head -c 1048576 /dev/urandom > /tmp/written");
    sandbox.in("first", "dd if=/tmp/written of=/dev/volume bs=64k seek=16 conv=fsync,notrunc");
    String written = sandbox.in("first", "md5sum < /tmp/written");
    sandbox.delete("pod", "first");
    sandbox.apply(Manifests.withDevice("second", 3, "raw"));
    sandbox.awaitRunning("second");

    assertThat(sandbox.in("second", read)).isEqualTo(written);
    sandbox.delete("pod", "second");
    sandbox.deleteClaim("raw");
  }

  @Test
  void aPodWritesOnWhileHoldfastsOwnPodOnItsNodeIsReplaced() {
    sandbox.apply(Manifests.claim("kept", "64Mi"), Manifests.writer("keeper", 2, "kept"));
    sandbox.awaitRunning("keeper");
    writer("keeper").awaitNumber(10);
    HoldfastPod holdfast = new HoldfastPod(sandbox, 2);
    String before = holdfast.name();

    sandbox.kubectl("-n", "holdfast-system", "delete", "pod", before, "--wait=false");
    Await.until("Holdfast's pod on node-2 is replaced", LIMIT, () -> holdfast.isReplaced(before));

    writer("keeper").awaitMore(20);
    writer("keeper").assertWhole();
    writer("keeper").assertNeverRestarted();
    sandbox.delete("pod", "keeper");
    sandbox.deleteClaim("kept");
  }

  @Test
  void ephemeralVolumeIsDeletedWithItsPod() {
    sandbox.apply(Manifests.withEphemeral("passing", 1, "64Mi"));
    sandbox.awaitRunning("passing");
    sandbox.in("passing", "echo something > /data/text && sync");
    String volume = sandbox.volumeOf("passing-data");

    sandbox.delete("pod", "passing");

    sandbox.awaitGone("pvc", "passing-data");
    sandbox.awaitNoVolume(volume);
  }

  private static long kibibytes(String pod) {
    return Long.parseLong(sandbox.in(pod, "df -k /data | awk 'END {print $2}'"));
  }
}
