package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.kube.testkit.CsiSanity;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The judge of CSI drivers with filesystems for many nodes: each volume that it publishes is a
 * share, whose export is mounted. Driver, server and judge run in a virtual machine, because mounts
 * of NFS need its kernel.
 */
@Tag("soak")
class CsiSanitySharesE2E {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final Duration LIMIT = Duration.ofMinutes(15);
  private static final int MEMORY_MEBIBYTES = 3072;

  /** The judge's attach limit needs a small number of volumes. */
  private static final String START =
      "cd /run && export HOLDFAST_JAVA_OPTS='-Xmx512m %s'"
          + " && exec %s/holdfast up --no-demo --open-frontends loopback --data /run/data"
          + " --csi /run/csi.sock --csi-max-volumes 2 2>&1";

  private static final String JUDGE =
      "cd /run && printf 'numberOfReplicas: \"1\"\\n' > parameters.yaml"
          + " && printf 'writeIops: \"100000\"\\nbandwidth: 1Gi\\n' > mutable.yaml"
          + " && exec %s --csi.endpoint=unix:///run/csi.sock --csi.mountdir=/run/mount"
          + " --csi.stagingdir=/run/staging --csi.testvolumeaccesstype=mount"
          + " --csi.testvolumesize=16777216 --csi.testvolumeexpandsize=25165824"
          + " --csi.testvolumeparameters=parameters.yaml"
          + " --csi.testvolumemutableparameters=mutable.yaml --csi.testnodevolumeattachlimit"
          + " --ginkgo.no-color --ginkgo.json-report=%s 2>&1";

  @Test
  void everySpecPassesWithFilesystemsForManyNodes() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "sharing needs root");
    Path program = CsiSanity.programForManyNodes();
    // The machine has a /tmp of its own.
    Path report =
        Files.createTempDirectory(TREE.toAbsolutePath().resolve("itests/target"), "sanity")
            .resolve("report.json")
            .normalize();
    VmOptions options =
        new VmOptions(MEMORY_MEBIBYTES, List.of("nfsv4", "loop", "fuse", "nbd"), List.of(), LIMIT)
            .withOptions("-s", TREE.toAbsolutePath().normalize().toString());
    try (VmHost machine = VmHost.start(options)) {
      ProgramResult started =
          run(machine, START.formatted(RunningNode.QUICK, DISTRIBUTION.toAbsolutePath()));
      assertThat(started.exitCode()).as(started.output()).isZero();
      ProgramResult judged = run(machine, JUDGE.formatted(program, report));
      assertEverySpecPassed(Files.readString(report), judged);
      assertThat(run(machine, holdfast("volume list -o json")).output()).doesNotContain("sanity");
      assertThat(run(machine, "grep nfs4 /proc/mounts").output()).isEmpty();
    }
  }

  private static void assertEverySpecPassed(String report, ProgramResult judged)
      throws IOException {
    Map<String, List<String>> specs = CsiSanity.byState(report);
    assertThat(specs.getOrDefault(CsiSanity.FAILED, List.of())).as(judged.output()).isEmpty();
    assertThat(specs.keySet())
        .as(judged.output())
        .containsExactlyInAnyOrder(CsiSanity.PASSED, CsiSanity.PENDING);
    assertThat(CsiSanity.specs()).hasSize(102);
    assertThat(specs.get(CsiSanity.PASSED)).containsExactlyElementsOf(CsiSanity.specs());
    assertThat(specs.get(CsiSanity.PENDING)).hasSize(1);
    assertThat(judged.exitCode()).isZero();
  }

  private static String holdfast(String words) {
    return DISTRIBUTION.toAbsolutePath() + "/holdfast " + words + " --data /run/data";
  }

  private static ProgramResult run(VmHost machine, String script) throws Exception {
    return machine.run(ProgramCall.of(LIMIT, List.of("/bin/sh", "-c", script)));
  }
}
