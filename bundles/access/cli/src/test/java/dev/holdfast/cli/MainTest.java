package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
  @TempDir Path data;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeCluster cluster = new FakeCluster();
  private int closed;
  private StoreConnector connector =
      kubeconfig -> new StoreConnector.Session(store, cluster, "127.0.0.1:7443", () -> closed++);

  @BeforeEach
  void pretendThatANodeRuns() throws Exception {
    Files.writeString(data.resolve("kubeconfig"), "{}");
    Files.writeString(data.resolve("holdfast.pid"), ProcessHandle.current().pid() + "\n");
  }

  /** Result of a command. */
  private record Ended(int exitCode, String out, String err) {}

  private Ended run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", data.toString()));
    String[] given = all.toArray(String[]::new);
    int exitCode =
        Main.commandLine(connector, given)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err, true))
            .execute(given);
    return new Ended(exitCode, out.toString().strip(), err.toString().strip());
  }

  @Test
  void createListAndGetAVolume() throws Exception {
    assertThat(run("volume", "create", "demo", "--size", "1Gi", "--replicas", "2"))
        .isEqualTo(new Ended(0, "volume demo created: 1Gi in 2 replicas", ""));
    assertThat(run("volume", "list").out()).startsWith("NAME").contains("\ndemo   1Gi");

    Ended got = run("volume", "get", "demo", "-o", "json");
    Volume volume = new ResourceJson().decode(Volume.KIND, got.out(), ResourceJson.Mode.STRICT);
    assertThat(volume).isEqualTo(store.get(Volume.KIND, "demo").orElseThrow());
    assertThat(closed).isEqualTo(3);
  }

  @Test
  void deletionOnceDetachedIsRequestedShownAndCancelled() {
    run("volume", "create", "demo", "--size", "1Gi");
    assertThat(run("volume", "delete", "demo", "--when-detached"))
        .isEqualTo(
            new Ended(
                0,
                "volume demo is deleted with its data once it is detached; 'holdfast volume delete"
                    + " --cancel demo' takes that back",
                ""));
    assertThat(run("volume", "get", "demo").out()).contains("Deletion:     once it is detached");
    assertThat(run("volume", "why", "demo").out()).contains("holdfast volume delete --cancel demo");
    assertThat(run("volume", "delete", "--cancel", "demo"))
        .isEqualTo(new Ended(0, "volume demo is not deleted", ""));
    assertThat(run("volume", "delete", "--cancel", "--when-detached", "demo").exitCode())
        .isEqualTo(2);
  }

  @Test
  void misspeltCommandsAndOptionsHaveASuggestion() {
    assertThat(run("volum", "list").err()).contains("\nDid you mean 'holdfast volume'?\n");
    assertThat(run("volume", "lst").err()).contains("\nDid you mean 'holdfast volume list'?\n");
    assertThat(run("volume", "create", "demo", "--sze", "1Gi").err())
        .contains("\nDid you mean '--size'?\n");
    assertThat(run("volume", "frobnicate").err()).doesNotContain("Did you mean");
    assertThat(run("volum", "list").exitCode()).isEqualTo(2);
  }

  @Test
  void aSizeIsRoundedUpInOneLine() {
    assertThat(run("volume", "create", "demo", "--size", "500M", "--replicas", "1"))
        .isEqualTo(
            new Ended(
                0,
                "volume demo created: 500M, rounded up to 488284Ki (a multiple of 4Ki), in 1"
                    + " replica",
                ""));
  }

  @Test
  void snapshotsAreRequestedAndShown() throws Exception {
    run("volume", "create", "demo", "--size", "1Gi");
    assertThat(run("snapshot", "create", "demo", "first", "--no-wait"))
        .isEqualTo(new Ended(0, "snapshot first of volume demo is asked for", ""));
    assertThat(run("snapshot", "list", "demo").out()).contains("\nfirst").contains("pending");
    assertThat(run("snapshot", "list", "demo", "-o", "json").out()).contains("\"SnapshotList\"");
    assertThat(run("snapshot", "delete", "demo", "first", "--no-wait"))
        .isEqualTo(new Ended(0, "snapshot first of volume demo deleted", ""));
    assertThat(run("snapshot", "revert", "demo", "first"))
        .isEqualTo(
            new Ended(
                2,
                "",
                "holdfast: volume demo gets the content of snapshot first: confirm it with "
                    + "--confirm"
                    + " demo"));
    assertThat(run("snapshot", "revert", "demo", "first", "--confirm", "first").err())
        .contains("--confirm first: expected demo; nothing was changed");
    assertThat(run("snapshot", "revert", "demo", "first", "--confirm", "demo").err())
        .isEqualTo(
            "holdfast: volume demo has no snapshot first: see 'holdfast snapshot list demo'");
  }

  @Test
  void aCopyMayShareBlocksUnlessThatIsNotWanted() {
    run("volume", "create", "demo", "--size", "1Gi");
    run("volume", "create", "linked", "--from", "demo");
    run("volume", "create", "own", "--from", "demo", "--clone-mode", "full-copy");
    assertThat(run("volume", "get", "linked", "-o", "json").out())
        .contains("\"cloneMode\" : \"linked-clone\"");
    assertThat(run("volume", "get", "own", "-o", "json").out())
        .contains("\"cloneMode\" : \"full-copy\"");
    assertThat(run("volume", "create", "x", "--from", "demo", "--clone-mode", "half").err())
        .contains("full-copy");
  }

  @Test
  void limitsAndSizesAreSet() {
    run("volume", "create", "demo", "--size", "1Gi");
    assertThat(run("volume", "set", "demo", "--iops", "100", "--bandwidth", "100Mi"))
        .isEqualTo(new Ended(0, "volume demo: at most 100 requests/s, 100Mi/s, bursts of 1 s", ""));
    assertThat(run("volume", "set", "demo", "--bandwidth", "much").exitCode()).isEqualTo(2);
    run("volume", "set", "demo", "--unmap-mark-snap-chain-removed", "enabled");
    run("volume", "set", "demo", "--freeze-filesystem-for-snapshot", "disabled");
    assertThat(run("volume", "get", "demo", "-o", "json").out())
        .contains("\"unmapMarkSnapChainRemoved\" : \"enabled\"")
        .contains("\"freezeFilesystemForSnapshot\" : \"disabled\"")
        .contains("\"iops\" : 100");
    assertThat(run("volume", "expand", "demo", "2Gi"))
        .isEqualTo(new Ended(0, "volume demo grows to 2Gi as soon as it is attached", ""));
    assertThat(run("volume", "expand", "demo", "1Gi").exitCode()).isEqualTo(2);
  }

  @Test
  void globalOptionsMayBeAnywhere() {
    assertThat(run("-o", "json", "volume", "list").out()).contains("\"VolumeList\"");
    assertThat(run("volume", "-o", "JSON", "list").out()).contains("\"VolumeList\"");
  }

  @Test
  void aFailureIsOneLineAndCodeOne() {
    assertThat(run("volume", "get", "demo"))
        .isEqualTo(
            new Ended(1, "", "holdfast: volume demo does not exist: see 'holdfast volume list'"));
  }

  @Test
  void deletedVolumeIsExplainedWithTheCommandThatTakesItBack() throws Exception {
    store.create(
        DeletedVolume.of(
            "demo",
            DeletedVolumeSpec.EMPTY
                .withVolumeUID("gone")
                .withDeletedAt(Optional.of(Instant.EPOCH))
                .withPurgeAt(Optional.of(Instant.EPOCH.plusSeconds(60)))));
    Ended why = run("volume", "why", "demo");
    assertThat(why.exitCode()).isZero();
    assertThat(why.out())
        .contains("is kept until 1970-01-01T00:01:00Z", "holdfast volume undelete demo");
    assertThat(run("volume", "get", "demo").err()).contains("'holdfast volume undelete demo'");
  }

  @Test
  void existingNameIsAFailure() {
    run("volume", "create", "demo", "--size", "1Gi");
    Ended again = run("volume", "create", "demo", "--size", "1Gi");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).startsWith("holdfast: ").contains("demo").hasLineCount(1);
  }

  @Test
  void aWrongSizeIsWrongUseAndNamesTheField() {
    Ended ended = run("volume", "create", "demo", "--size", "1Q");
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.err()).startsWith("holdfast: volume demo: spec.size:").hasLineCount(1);
  }

  @Test
  void aWrongNameIsWrongUseAndNamesTheField() {
    Ended ended = run("volume", "create", "No_Name", "--size", "1Gi");
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.err()).contains("metadata.name").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "volume",
        "volume create demo",
        "volume create --size 1Gi",
        "volume frobnicate",
        "volume create demo --size 1Gi --replicas many",
        "volume list -o yaml",
        "mount demo",
        "mount demo /mnt --fs vfat",
        "mount --restore demo",
        "umount",
        "umount demo --persistent",
        "disk add",
        "frobnicate"
      })
  void wrongUseIsCodeTwoAndPointsToTheHelp(String arguments) {
    Ended ended = run(arguments.split(" "));
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err()).startsWith("holdfast: ").contains("\nTry 'holdfast");
  }

  @Test
  void withoutANodeTheRemedyIsNamed() throws Exception {
    Files.delete(data.resolve("kubeconfig"));
    Files.delete(data.resolve("holdfast.pid"));
    Ended ended = run("volume", "list");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err())
        .contains(data.toString())
        .endsWith("The node is not running: start it with './holdfast up'.");
  }

  @Test
  void silentNodeIsDistinguishedFromAStoppedOne() throws Exception {
    connector =
        kubeconfig -> {
          throw new StorageException(ErrorCode.UNREACHABLE, "https://127.0.0.1:7443: refused");
        };
    assertThat(run("volume", "list"))
        .isEqualTo(
            new Ended(
                1,
                "",
                "holdfast: https://127.0.0.1:7443: refused\nThe node runs (pid "
                    + ProcessHandle.current().pid()
                    + ") but does not answer; it may be starting, or overloaded: see 'holdfast"
                    + " status'."));
    Files.delete(data.resolve("holdfast.pid"));
    assertThat(run("volume", "list"))
        .isEqualTo(
            new Ended(
                1,
                "",
                "holdfast: https://127.0.0.1:7443: refused\n"
                    + "The node is not running: start it with './holdfast up'."));
  }

  @Test
  void statusShowsTheNodesOfARunningContainer() throws Exception {
    store.create(Node.of("node-1", NodeSpec.EMPTY));
    Ended ended = run("status", "-o", "json");
    assertThat(ended.exitCode()).isZero();
    assertThat(new ResourceJson().parse(ended.out()).path("nodes").path(0).path("pid").asLong())
        .isEqualTo(ProcessHandle.current().pid());
  }

  @Test
  void statusOfAStoppedContainerFails() throws Exception {
    Files.delete(data.resolve("holdfast.pid"));
    Ended ended = run("status", "-o", "json");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(new ResourceJson().parse(ended.out()).path("pid").isNull()).isTrue();
  }

  @Test
  void kubeconfigPrintsOnlyThePath() {
    assertThat(run("kubeconfig").out()).isEqualTo(data.resolve("kubeconfig").toString());
  }

  @Test
  void attachThatIsNotDoneInTimeFailsWithTheReason() {
    run("volume", "create", "demo", "--size", "1Gi");
    Ended ended = run("volume", "attach", "demo", "--timeout", "0", "--no-wait", "--node", "x");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).contains("node x does not exist");
  }

  @Test
  void deleteRefusesAMountedVolume() throws Exception {
    run("volume", "create", "demo", "--size", "1Gi");
    Files.createDirectories(data.resolve("mounts"));
    Files.writeString(
        data.resolve("mounts/demo.json"),
        """
        {"volume":"demo","directory":"/mnt/demo","device":"/dev/loop0","filesystem":"ext4",
         "ticket":"api","ownsTicket":true}
        """);
    for (String verb : List.of("delete", "detach")) {
      assertThat(run("volume", verb, "demo"))
          .isEqualTo(
              new Ended(
                  1,
                  "",
                  "holdfast: volume demo is mounted on /mnt/demo: first 'holdfast umount demo'"));
    }
    assertThat(run("mount").out()).contains("demo     /mnt/demo   ext4         /dev/loop0   false");
  }

  @Test
  void ticketOfAnInstalledAttacherIsDeletedByForceAlone() throws Exception {
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY.withId("keep-demo").withType("keep-attached").withNodeID("node-1");
    assertThat(run("volume", "create", "demo", "--size", "1Gi").exitCode()).isZero();
    store.create(
        VolumeAttachment.of(
            "demo",
            VolumeAttachmentSpec.EMPTY
                .withVolume("demo")
                .withAttachmentTickets(Map.of("keep-demo", ticket))));
    Ended refused = run("ticket", "delete", "demo", "keep-demo");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("attacher keep-attached is installed", "--force");
    assertThat(run("ticket", "delete", "demo", "keep-demo", "--force"))
        .isEqualTo(new Ended(0, "ticket keep-demo (keep-attached) of volume demo deleted", ""));
  }

  @Test
  void restoreReportsEachMissingVolume() throws Exception {
    assertThat(run("mount", "--restore"))
        .isEqualTo(new Ended(0, "No persistent mount to restore.", ""));
    assertThat(run("umount", "--persistent")).isEqualTo(new Ended(0, "No persistent mounts.", ""));
    Files.createDirectories(data.resolve("mounts"));
    Files.writeString(
        data.resolve("mounts/demo.json"),
        """
        {"volume":"demo","directory":"%s","device":"","filesystem":"ext4",
         "ticket":"api","ownsTicket":true,"node":"","persistent":true}
        """
            .formatted(data.resolve("mnt")));
    Ended ended = run("mount", "--restore");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).contains("holdfast: volume demo does not exist");
  }

  @Test
  void restoringWaitsForANodeThatIsBeingStarted() {
    StoreConnector started = connector;
    int[] attempts = {0};
    connector =
        kubeconfig -> {
          if (++attempts[0] < 3) {
            throw new StorageException(ErrorCode.UNREACHABLE, "refused");
          }
          return started.connect(kubeconfig);
        };
    assertThat(run("mount", "--restore").exitCode()).isZero();
    connector =
        kubeconfig -> {
          throw new StorageException(ErrorCode.UNREACHABLE, "refused");
        };
    assertThat(run("mount", "--restore", "--timeout", "0").exitCode()).isEqualTo(1);
  }

  @Test
  void everyCommandHasHelp() {
    commands(Main.commandLine(connector))
        .forEach(
            command -> {
              assertThat(command.getUsageMessage()).contains("Usage: holdfast");
              assertThat(command.getCommandSpec().usageMessage().description())
                  .as(command.getCommandSpec().qualifiedName())
                  .isNotEmpty();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "--help volume", "-h snapshot"})
  void theHelpNamesEveryCommandWhateverElseIsAsked(String arguments) {
    assertThat(run(arguments.split(" ")).out())
        .contains("Usage: holdfast ")
        .contains(
            "\n  volume ",
            "\n  snapshot ",
            "\n  disk ",
            "\n  node ",
            "\n  mount ",
            "\n  umount ",
            "\n  status ",
            "\n  upgrade ",
            "\n  kubeconfig ");
  }

  @Test
  void argumentsMayBeInAFile() throws Exception {
    Path file = Files.writeString(data.resolve("arguments"), "volume list -o json");
    assertThat(run("@" + file).out()).contains("\"VolumeList\"");
  }

  @Test
  void aCommandsNameMayBeAValue() {
    assertThat(run("volume", "create", "status", "--size", "1Gi").exitCode()).isZero();
    assertThat(run("volume", "get", "status").out()).contains("status");
    assertThat(run("-o", "volume", "disk", "list").exitCode()).isEqualTo(2);
  }

  private static Stream<CommandLine> commands(CommandLine command) {
    return Stream.concat(
        Stream.of(command), command.getSubcommands().values().stream().flatMap(MainTest::commands));
  }
}
