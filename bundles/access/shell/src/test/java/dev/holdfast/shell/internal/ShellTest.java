package dev.holdfast.shell.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.commands.verbs.Omission;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbGroup;
import dev.holdfast.commands.verbs.WrongUse;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.BundleContext;

/** The commands in Karaf's own shell, which here runs outside of a container. */
class ShellTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ThreadIOImpl threads = new ThreadIOImpl();
  private SessionFactoryImpl factory;
  private ShellCommands commands;
  private Session session;

  @TempDir Path data;

  private BundleContext framework() {
    Map<String, String> properties =
        Map.of("holdfast.data", data.toString(), "holdfast.api.port", "7443");
    return (BundleContext)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {BundleContext.class},
            (proxy, method, arguments) -> properties.get((String) arguments[0]));
  }

  @BeforeEach
  void startShell() throws Exception {
    threads.start();
    factory = new SessionFactoryImpl(threads);
    commands = new ShellCommands(framework(), factory, store);
    commands.register();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    session = factory.create(new ByteArrayInputStream(new byte[0]), out, out);
    store.create(
        Node.of(
            "node-1",
            NodeSpec.EMPTY.withDisks(Map.of("disk-1", DiskSpec.EMPTY.withPath("/srv/a")))));
  }

  @AfterEach
  void stopShell() {
    session.close();
    factory.stop();
    threads.stop();
  }

  private String run(String command) throws Exception {
    printed.reset();
    session.execute(command);
    return printed.toString(StandardCharsets.UTF_8).strip();
  }

  @Test
  void aVolumeIsMadeAndShown() throws Exception {
    assertThat(run("holdfast:volume-create --size 1Gi --engine memory demo"))
        .isEqualTo("volume demo created: 1Gi in 3 replicas");
    Volume volume = store.get(Volume.KIND, "demo").orElseThrow();
    assertThat(volume.spec().size()).isEqualTo(Quantity.parse("1Gi"));
    assertThat(volume.spec().dataEngine()).isEqualTo("memory");
    assertThat(run("holdfast:volume-list")).startsWith("NAME").contains("\ndemo   1Gi");
    assertThat(run("holdfast:volume-get -o json demo")).contains("\"kind\" : \"Volume\"");
    assertThat(run("holdfast:volume-why demo")).contains("Volume demo is being made.");
  }

  @Test
  void aTicketIsDeletedOnlyByForceWhileItsAttacherMayBeInstalled() throws Exception {
    run("holdfast:volume-create --size 1Gi demo");
    AttachmentTicket ticket =
        AttachmentTicket.of("keep-demo", "keep-attached", "node-1", Map.of(), 1);
    store.create(
        VolumeAttachment.of("demo", new VolumeAttachmentSpec("demo", Map.of(ticket.id(), ticket))));
    assertThatThrownBy(() -> run("holdfast:ticket-delete demo keep-demo"))
        .hasMessageContaining("its attacher keep-attached is installed")
        .hasMessageContaining("--force");
    assertThat(run("holdfast:ticket-delete --force demo keep-demo")).contains("keep-demo", "demo");
    assertThat(store.get(VolumeAttachment.KIND, "demo").orElseThrow().spec().attachmentTickets())
        .isEmpty();
    assertThatThrownBy(() -> run("holdfast:ticket-delete demo keep-demo"))
        .hasMessageContaining("volume demo has no ticket keep-demo");
  }

  @Test
  void nodesAndDisksAreTables() throws Exception {
    assertThat(run("holdfast:node-list")).startsWith("NAME").contains("node-1");
    assertThat(run("holdfast:disk-list")).startsWith("NODE").contains("/srv/a");
  }

  @Test
  void aDiskIsAddedAndRemoved() throws Exception {
    run("holdfast:disk-add --no-wait --tags ssd --tags fast /srv/b");
    DiskSpec added = store.get(Node.KIND, "node-1").orElseThrow().spec().disks().get("b");
    assertThat(added.tags()).containsExactly("ssd", "fast");
    assertThat(run("holdfast:disk-remove b")).startsWith("disk b of node-1 removed");
  }

  @Test
  void aFailureIsTheMessageOfTheCommand() {
    assertThatThrownBy(() -> run("holdfast:volume-get demo"))
        .hasMessage("volume demo does not exist: see 'holdfast volume list'");
  }

  @Test
  void limitsAreSet() throws Exception {
    run("holdfast:volume-create --size 1Gi demo");
    assertThat(
            run(
                "holdfast:volume-set --iops=100 --bandwidth 100Mi"
                    + " --freeze-filesystem-for-snapshot disabled demo"))
        .isEqualTo("volume demo: at most 100 requests/s, 100Mi/s, bursts of 1 s");
    assertThat(store.get(Volume.KIND, "demo").orElseThrow().spec().freezeFilesystemForSnapshot())
        .isEqualTo(SettingOverride.DISABLED);
  }

  @Test
  void nodesAreAwaited() throws Exception {
    assertThatThrownBy(() -> run("holdfast:node-wait --timeout 0 node-1 node-2"))
        .hasMessageContaining("node-2");
  }

  @Test
  void tokensAreMadeByTheNodeWithTheStore() throws Exception {
    assertThatThrownBy(() -> run("holdfast:node-token"))
        .hasMessage(
            "this node has joined a cluster: run the command on the node that has the store");
    ClusterAccess cluster = new TokensOnly();
    commands.setCluster(cluster);
    assertThat(run("holdfast:node-token --ttl 60 -o json"))
        .contains("hf1.", "\"expires\" : \"1970-01-01T00:01:00Z\"");
    assertThat(run("holdfast:node-add")).contains("holdfast up --join 127.0.0.1:7443 ");
    commands.unsetCluster(cluster);
    assertThatThrownBy(() -> run("holdfast:node-token")).hasMessageContaining("has joined");
  }

  @Test
  void onlyAMemberRenewsItsCertificate() {
    assertThatThrownBy(() -> run("holdfast:node-renew --name node-1"))
        .hasMessageContaining(data + " has joined no cluster");
  }

  @Test
  void imagesAreReadAndWrittenOnTheHostOfTheNode() throws Exception {
    run("holdfast:volume-create --size 1Gi demo");
    assertThatThrownBy(() -> run("holdfast:volume-import new " + data.resolve("no.img")))
        .hasMessage(data.resolve("no.img") + " is not a file");
    Path present = Files.createFile(data.resolve("present"));
    assertThatThrownBy(() -> run("holdfast:volume-export --no-wait demo " + present))
        .hasMessageContaining(present.toString());
  }

  @Test
  void recurringJobIsMadeAndShown() throws Exception {
    run("holdfast:recurring-job-create --task snapshot --cron '0 3 * * *' --retain 7 nightly");
    assertThat(run("holdfast:recurring-job-list")).contains("nightly   snapshot   0 3 * * *   UTC");
  }

  @Test
  void backupsAreReadFromTargetsThatAreInstalled() throws Exception {
    String url = LonghornBackupstore.unpackedIn(data).url();
    assertThatThrownBy(() -> run("holdfast:backup-ls " + url))
        .hasMessageContaining("scheme \"file\": no backup target is installed");

    BackupTargetProvider directory =
        ServiceLoader.load(BackupTargetProvider.class).findFirst().orElseThrow();
    commands.addBackupTargets(directory);
    assertThat(run("holdfast:backup-ls " + url)).startsWith("VOLUME").contains("vol1     64Mi");
    assertThat(
            run("holdfast:backup-verify '" + url + "?volume=vol1&backup=backup-0496a402e81d4902'"))
        .contains("backup-0496a402e81d4902   intact   30");
    commands.removeBackupTargets(directory);
    assertThatThrownBy(() -> run("holdfast:backup-list " + url)).hasMessageContaining("\"file\"");
  }

  @Test
  void aVerbThatFailedWithAResultPrintsItAndFails() throws Exception {
    String url = LonghornBackupstore.unpackedIn(data).url();
    commands.addBackupTargets(
        ServiceLoader.load(BackupTargetProvider.class).findFirst().orElseThrow());
    try (Stream<Path> files = Files.walk(data)) {
      Files.delete(
          files.filter(file -> file.toString().endsWith(".blk")).findFirst().orElseThrow());
    }
    assertThatThrownBy(() -> run("holdfast:backup-verify " + url))
        .isInstanceOf(CommandException.class)
        .hasMessage("holdfast:backup-verify failed, as the output above says");
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("damaged", ".blk: is missing");
  }

  @Test
  void credentialsOfATargetAreVariablesOfTheSession() throws Exception {
    commands.addBackupTargets(new KeyedTarget());
    assertThatThrownBy(() -> run("holdfast:backup-ls keyed://host/")).hasMessage("keys []");
    run("KEY=value");
    assertThatThrownBy(() -> run("holdfast:backup-ls keyed://host/")).hasMessage("keys [KEY]");
  }

  @Test
  void failuresOfSeveralMountsAreShown() throws Exception {
    assertThat(run("holdfast:mount --restore")).isEqualTo("No persistent mount to restore.");
    assertThatThrownBy(() -> run("holdfast:mount demo"))
        .isInstanceOf(WrongUse.class)
        .hasMessage("DIR is missing: name the directory on which it is mounted");
  }

  @Test
  void earlierSnapshotIsNamedByOptionOrArgument() {
    assertThatThrownBy(() -> run("holdfast:snapshot-diff --from a demo b"))
        .hasMessageContaining("volume demo");
    assertThatThrownBy(() -> run("holdfast:snapshot-diff demo a b"))
        .hasMessageContaining("volume demo");
    assertThatThrownBy(() -> run("holdfast:snapshot-diff --from a demo a b"))
        .isInstanceOf(WrongUse.class);
  }

  @ParameterizedTest
  @CsvSource({
    "volume-create demo, 'One of the options --size, --from, --clone-mode, --backup is required'",
    "volume-create --size 1Gi, Argument name is required",
    "volume-create --size, Missing value for option --size",
    "volume-create --size 1Gi --replicas many demo, Unable to convert option --replicas with value"
        + " 'many': expected a whole number",
    "volume-create --from a --clone-mode half demo, 'Unable to convert option --clone-mode with"
        + " value ''half'': expected one of full-copy, linked-clone'",
    "'volume-set --bandwidth much demo', 'Unable to convert option --bandwidth'",
    "volume-salvage demo, Option --replica is required",
    "volume-get, Argument name is required",
    "volume-get a b, Too many arguments specified",
    "volume-list --frobnicate, Undefined option --frobnicate",
  })
  void wrongUseIsRefused(String command, String message) {
    assertThatThrownBy(() -> run("holdfast:" + command))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void optionsThatExcludeEachOtherAreRefused() {
    assertThatThrownBy(() -> run("holdfast:volume-delete --cancel --when-detached demo"))
        .hasMessage("--when-detached and --cancel exclude each other: give one of them");
    assertThatThrownBy(() -> run("holdfast:volume-list -o yaml"))
        .hasMessage("-o must be text or json");
  }

  @Test
  void unknownCommandIsTheShellsOwnMessage() {
    assertThatThrownBy(() -> run("holdfast:volume-frobnicate"))
        .hasMessage("Command not found: holdfast:volume-frobnicate");
  }

  @Test
  void commandsLeaveWithTheStore() {
    commands.unregister();
    assertThatThrownBy(() -> run("holdfast:volume-list")).hasMessageStartingWith("Command not");
  }

  @Test
  void helpNamesArgumentsAndOptions() throws Exception {
    assertThat(run("holdfast:volume-expand --help").replaceAll("\u001B\\[[0-9;]*m", ""))
        .isEqualTo(
            """
            DESCRIPTION
                    holdfast:volume-expand

            \tExpand a volume, in use or not.
            \tGrow its filesystem afterwards, with resize2fs or xfs_growfs.

            SYNTAX
                    holdfast:volume-expand [options] name size

            ARGUMENTS
                    name
                            The volume's name.
                            (required)
                    size
                            The new size, for example 2Gi.
                            (required)

            OPTIONS
                    --no-wait
                            Return once the request is stored.
                    --timeout
                            Longest time to wait. Default: 60.
                    -o, --output
                            Format of the result: text or json.
                            (defaults to text)
                    --help
                            Display this help message\
            """);
  }

  @Test
  void commandsAreThoseOfTheTable() {
    List<String> expected =
        VerbGroup.allVerbs().stream()
            .filter(verb -> Omission.applied(ShellCommands.OMISSIONS, verb).isPresent())
            .map(verb -> verb.name().replace(' ', '-'))
            .toList();
    assertThat(expected)
        .contains("volume-set", "volume-import", "volume-export")
        .contains("node-wait", "node-token", "node-renew")
        .doesNotContain("node-join", "kubeconfig");
    assertThat(
            factory.getRegistry().getCommands().stream()
                .filter(command -> command.getScope().equals("holdfast"))
                .map(Command::getName))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void optionsAreThoseOfTheTable() {
    for (Verb verb : VerbGroup.allVerbs()) {
      List<String> expected = new ArrayList<>(List.of("-o", "--output", "--help"));
      verb.options().forEach(option -> expected.add(option.name()));
      if (Omission.applied(ShellCommands.OMISSIONS, verb).isPresent()) {
        String command = "holdfast:" + verb.name().replace(' ', '-');
        assertThat(completed(command, "-")).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @Test
  void omissionsNameTheTableAndAReason() {
    List<String> verbs = VerbGroup.allVerbs().stream().map(Verb::name).toList();
    assertThat(ShellCommands.OMISSIONS)
        .allSatisfy(omission -> assertThat(omission.reason()).isNotBlank())
        .extracting(Omission::verb)
        .isSubsetOf(verbs);
  }

  @Test
  void namesAreCompletedFromTheStore() throws Exception {
    run("holdfast:volume-create --size 1Gi demo");
    run("holdfast:volume-create --size 1Gi database");
    assertThat(completed("holdfast:volume-get", "d")).containsExactly("database", "demo");
    assertThat(completed("volume-get", "de")).containsExactly("demo");
    assertThat(completed("holdfast:volume-attach", "--node", "")).containsExactly("node-1");
    assertThat(completed("holdfast:volume-attach", "--node", "node-1", "da"))
        .containsExactly("database");
    assertThat(completed("holdfast:volume-attach", "--no-wait", "da")).containsExactly("database");
    assertThat(completed("holdfast:disk-remove", "disk")).containsExactly("disk-1");
    assertThat(completed("holdfast:node-wait", "node-1", "")).containsExactly("node-1");
    assertThat(completed("holdfast:volume-get", "demo", "")).isEmpty();
    assertThat(completed("holdfast:volume-gone", "")).isEmpty();
  }

  @Test
  void constantsAndFilesAreCompleted() throws Exception {
    Files.createFile(data.resolve("image.raw"));
    assertThat(completed("holdfast:mount", "--fs", "")).containsExactly("ext4", "xfs");
    assertThat(completed("holdfast:volume-export", "--format", "q")).containsExactly("qcow2");
    assertThat(completed("holdfast:volume-list", "-o", "")).containsExactly("json", "text");
    assertThat(completed("holdfast:volume-import", "new", data + "/im"))
        .containsExactly(data + "/image.raw");
  }

  @Test
  void commandNameIsCompletedWithAndWithoutScope() {
    Completer scoped =
        factory.getRegistry().getCommand("holdfast", "volume-get").getCompleter(true);
    List<String> found = new ArrayList<>();
    scoped.complete(session, new Typed(List.of("vol")), found);
    assertThat(found).containsExactly("volume-get");
    assertThat(completed("holdfast:volume-get"))
        .containsExactly("volume-get", "holdfast:volume-get");
  }

  /** Completes the last of some words, of which the first is the command. */
  private List<String> completed(String... words) {
    String name = words[0].replaceFirst("^holdfast:", "");
    Command command = factory.getRegistry().getCommand("holdfast", name);
    List<Candidate> found = new ArrayList<>();
    if (command != null) {
      command.getCompleter(false).completeCandidates(session, new Typed(List.of(words)), found);
    }
    return found.stream().map(Candidate::value).toList();
  }

  /** The words of a command, with the cursor behind the last one. */
  private record Typed(List<String> words)
      implements org.apache.karaf.shell.api.console.CommandLine {
    @Override
    public int getCursorArgumentIndex() {
      return words.size() - 1;
    }

    @Override
    public String getCursorArgument() {
      return words.get(words.size() - 1);
    }

    @Override
    public int getArgumentPosition() {
      return getCursorArgument().length();
    }

    @Override
    public String[] getArguments() {
      return words.toArray(String[]::new);
    }

    @Override
    public int getBufferPosition() {
      return getBuffer().length();
    }

    @Override
    public String getBuffer() {
      return String.join(" ", words);
    }
  }

  /** Answers with the names of the credentials that it received. */
  private static final class KeyedTarget implements BackupTargetProvider {
    @Override
    public List<String> schemes() {
      return List.of("keyed");
    }

    @Override
    public List<CredentialKey> credentials() {
      return List.of(new CredentialKey("KEY", true, "The key."));
    }

    @Override
    public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
        throws StorageException {
      throw new StorageException(ErrorCode.UNREACHABLE, "keys " + credentials.keySet());
    }
  }
}
