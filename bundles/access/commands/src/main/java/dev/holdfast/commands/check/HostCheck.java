package dev.holdfast.commands.check;

import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks a host before the start of a node, and a running node with its cluster. */
public final class HostCheck {
  private static final String NODE = "node";

  private final KernelChecks kernel;
  private final DirectoryChecks node;

  /** Source of the health of the cluster. */
  public interface Health {
    /** Returns the problems of the cluster, as reported by the node on this host. */
    List<HealthFinding> findings() throws StorageException;
  }

  /**
   * Prepares the checks.
   *
   * @param root directory of the host's files, {@code /} for this host
   * @param data state directory of the node, which need not exist
   */
  public HostCheck(Path root, Path data) {
    SystemFiles files = new SystemFiles(root);
    this.kernel = new KernelChecks(files);
    this.node = new DirectoryChecks(files, data);
  }

  /**
   * Runs all checks.
   *
   * @param running whether the node runs
   * @param health called if the node runs
   * @return the results in display order
   */
  public List<CheckResult> run(boolean running, Health health) {
    List<CheckResult> results = new ArrayList<>();
    results.add(kernel.modules());
    results.add(kernel.fuse());
    results.add(kernel.multipath());
    results.add(kernel.clock());
    results.add(node.space());
    results.add(node.filesystem());
    results.add(node.content());
    if (running) {
      // A running node already has its memory and its ports.
      results.add(cluster(health));
      return results;
    }
    results.add(kernel.memory());
    results.add(node.ports());
    if (node.isUsed()) {
      results.add(CheckResult.error(NODE, "does not run", "holdfast up"));
    }
    return results;
  }

  private static CheckResult cluster(Health health) {
    try {
      List<HealthFinding> findings = health.findings();
      String codes =
          findings.stream().map(HealthFinding::code).distinct().collect(Collectors.joining(", "));
      if (findings.isEmpty()) {
        return CheckResult.ok(NODE, "runs, and finds nothing wrong in the cluster");
      }
      String finding = "runs, and finds in the cluster " + codes;
      return findings.stream().anyMatch(found -> found.severity() == HealthSeverity.ERROR)
          ? CheckResult.error(NODE, finding, "holdfast health")
          : CheckResult.warning(NODE, finding, "holdfast health");
    } catch (StorageException e) {
      return CheckResult.error(
          NODE, "runs, and does not tell its health: " + e.getMessage(), "holdfast logs");
    }
  }
}
