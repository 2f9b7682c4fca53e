package dev.holdfast.commands.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the kernel and programs that share it with a node. */
final class KernelChecks {
  private static final Map<String, String> MODULES =
      new TreeMap<>(
          Map.of(
              "nbd", "devices of volumes with the frontend nbd",
              "iscsi_tcp", "devices of volumes with the frontend iscsi",
              "nvme_tcp", "devices of volumes with the frontend nvmeof",
              "dm_crypt", "encrypted volumes"));

  /** Names of time services, limited to the 15 characters that the kernel reports. */
  private static final Set<String> TIME_SERVICES =
      Set.of("chronyd", "ntpd", "openntpd", "systemd-timesyn", "ptp4l");

  private static final String MULTIPATH = "etc/multipath.conf";
  private static final long NODE_MIB = 400;
  private static final long COMFORTABLE_MIB = 1024;

  private final SystemFiles files;

  KernelChecks(SystemFiles files) {
    this.files = files;
  }

  /** Returns whether the kernel has a module: loaded, built in or as a file. */
  private boolean hasModule(String release, String module) {
    if (files.exists("sys/module/" + module)) {
      return true;
    }
    String folder = "lib/modules/" + release + "/";
    return Stream.of("modules.builtin", "modules.dep")
        .flatMap(file -> files.lines(folder + file).stream())
        .map(line -> line.split(":", 2)[0])
        .map(path -> path.substring(path.lastIndexOf('/') + 1).replace('-', '_'))
        .anyMatch(file -> file.startsWith(module + ".ko"));
  }

  CheckResult modules() {
    String release = String.join("", files.lines("proc/sys/kernel/osrelease"));
    List<String> missing = new ArrayList<>();
    MODULES.forEach(
        (module, purpose) -> {
          if (!hasModule(release, module)) {
            missing.add(module + " for " + purpose);
          }
        });
    return missing.isEmpty()
        ? CheckResult.ok("kernel", release + " has " + String.join(", ", MODULES.keySet()))
        : CheckResult.warning(
            "kernel",
            release + " lacks " + String.join(", ", missing),
            "needed only to use such volumes on this host: install the package with all modules of"
                + " this kernel");
  }

  CheckResult fuse() {
    return files.exists("dev/fuse")
        ? CheckResult.ok("fuse", "/dev/fuse exists")
        : CheckResult.warning(
            "fuse",
            "/dev/fuse does not exist: volumes cannot be mounted if the kernel has no nbd",
            "modprobe fuse");
  }

  CheckResult multipath() {
    if (!files.programs().contains("multipathd")) {
      return CheckResult.ok("multipath", "multipathd does not run");
    }
    boolean excluded =
        files.lines(MULTIPATH).stream()
            .map(line -> line.replaceFirst("[#!].*", ""))
            .anyMatch(line -> line.contains("HOLDFAST"));
    return excluded
        ? CheckResult.ok("multipath", "/" + MULTIPATH + " names HOLDFAST")
        : CheckResult.warning(
            "multipath",
            "multipathd runs, and can take devices of volumes",
            "add to /"
                + MULTIPATH
                + ": blacklist { devnode \"^nbd\" device { vendor \"HOLDFAST\" } }; then:"
                + " systemctl reload multipathd");
  }

  CheckResult clock() {
    String services =
        files.programs().stream().filter(TIME_SERVICES::contains).collect(Collectors.joining(", "));
    return services.isEmpty()
        ? CheckResult.warning(
            "clock",
            "no time service runs",
            "several nodes need clocks that agree within 500 ms: apt-get install chrony")
        : CheckResult.ok("clock", services + " runs");
  }

  CheckResult memory() {
    long available =
        files.lines("proc/meminfo").stream()
            .filter(line -> line.startsWith("MemAvailable:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
            .findFirst()
            .orElse(0);
    String finding = available + " MiB available";
    String remedy = "a node uses about " + NODE_MIB + " MiB: end other programs or add memory";
    if (available < NODE_MIB) {
      return CheckResult.error("memory", finding, remedy);
    }
    return available < COMFORTABLE_MIB
        ? CheckResult.warning("memory", finding, remedy)
        : CheckResult.ok("memory", finding);
  }
}
