package dev.holdfast.shell.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.karaf.shell.api.action.lifecycle.Manager;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands in Karaf's own shell, which here runs outside of a container. */
class ShellTest {
  private static final List<Class<?>> ON_THE_STORE =
      List.of(
          VolumeCreate.class,
          VolumeList.class,
          VolumeGet.class,
          VolumeEndpoint.class,
          VolumeAttach.class,
          VolumeWhy.class,
          TicketDelete.class,
          DiskAdd.class,
          DiskRemove.class,
          DiskList.class,
          NodeList.class,
          VolumeNames.class,
          NodeNames.class,
          DiskNames.class);

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ThreadIOImpl threads = new ThreadIOImpl();
  private SessionFactoryImpl factory;
  private Session session;

  @BeforeEach
  void startShell() throws Exception {
    threads.start();
    factory = new SessionFactoryImpl(threads);
    factory.getRegistry().register((ResourceStore) store);
    Manager manager = new ManagerImpl(factory.getRegistry(), factory.getRegistry());
    ON_THE_STORE.forEach(manager::register);
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
        new AttachmentTicket("keep-demo", "keep-attached", "node-1", Map.of(), 1);
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "holdfast:volume-create demo",
        "holdfast:volume-get",
        "holdfast:volume-list --frobnicate"
      })
  void wrongUseIsRefused(String command) {
    assertThatThrownBy(() -> run(command)).isInstanceOf(CommandException.class);
  }

  @Test
  void namesAreCompletedFromTheStore() throws Exception {
    run("holdfast:volume-create --size 1Gi demo");
    run("holdfast:volume-create --size 1Gi database");
    assertThat(completed(VolumeNames.class, "d")).containsExactly("database ", "demo ");
    assertThat(completed(VolumeNames.class, "de")).containsExactly("demo ");
    assertThat(completed(NodeNames.class, "")).containsExactly("node-1 ");
    assertThat(completed(DiskNames.class, "disk")).containsExactly("disk-1 ");
  }

  private List<String> completed(Class<? extends Completer> completer, String start) {
    List<String> found = new ArrayList<>();
    factory.getRegistry().getService(completer).complete(session, new Typed(start), found);
    return found;
  }

  /** One word at the cursor. */
  private record Typed(String word) implements org.apache.karaf.shell.api.console.CommandLine {
    @Override
    public int getCursorArgumentIndex() {
      return 0;
    }

    @Override
    public String getCursorArgument() {
      return word;
    }

    @Override
    public int getArgumentPosition() {
      return word.length();
    }

    @Override
    public String[] getArguments() {
      return new String[] {word};
    }

    @Override
    public int getBufferPosition() {
      return word.length();
    }

    @Override
    public String getBuffer() {
      return word;
    }
  }
}
