package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** All that volumes leave in a sandbox, as it was at one time. */
final class SandboxInventory {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String KINDS =
      "pvc,pv,volumeattachments.storage.k8s.io,volumesnapshotcontents,volumes.holdfast.dev,"
          + "volumeattachments.holdfast.dev,engines.holdfast.dev,replicas.holdfast.dev,"
          + "snapshots.holdfast.dev";

  /** Devices are the machine's: each node shows those of all. */
  private static final String ON_NODE =
      "findmnt -rno TARGET | grep -E 'kubernetes.io.csi|pvc-' | sed 's/^/mount /';"
          + " grep /var/lib/holdfast/ /sys/block/loop*/loop/backing_file | sed 's/^/device /';"
          + " pgrep -af '^[^ ]*(nbdfuse|qemu-nbd) ' | sed 's/^[0-9]*/process/';"
          + " find /var/lib/holdfast /var/lib/kubelet/plugins/kubernetes.io/csi -xdev"
          + " -name '*pvc-*' | sed 's/^/file /'; true";

  private final Sandbox sandbox;
  private final Set<String> all;

  private SandboxInventory(Sandbox sandbox, Set<String> all) {
    this.sandbox = sandbox;
    this.all = all;
  }

  static SandboxInventory of(Sandbox sandbox) {
    return new SandboxInventory(sandbox, look(sandbox));
  }

  /** Waits until there is nothing that was not there. */
  void awaitNothingMore() {
    try {
      Await.until("nothing is left", LIMIT, () -> all.containsAll(look(sandbox)));
    } catch (AssertionError e) {
      assertThat(look(sandbox)).isSubsetOf(all);
    }
  }

  private static Set<String> look(Sandbox sandbox) {
    Set<String> found =
        new TreeSet<>(
            sandbox
                .kubectl("get", KINDS, "--output=name", "--ignore-not-found", "--all-namespaces")
                .lines()
                .toList());
    for (int node = 1; node <= Sandbox.NODES; node++) {
      String prefix = "node-" + node + " ";
      sandbox.on(node, ON_NODE).lines().map(line -> prefix + line).forEach(found::add);
    }
    return found;
  }
}
