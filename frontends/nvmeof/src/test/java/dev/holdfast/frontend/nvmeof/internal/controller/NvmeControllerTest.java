package dev.holdfast.frontend.nvmeof.internal.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.controller.Events.Event;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time-dependent actions of a controller. */
final class NvmeControllerTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int ENABLE = 0x460001;

  private final NvmeController controller =
      new NvmeController(new ControllerId("nqn.test", 1), new UUID(1, 2), "nqn.host");
  private final Queue admin = new Queue();
  private final Queue io = new Queue();
  private long now = SECOND;

  /** A connection that records the calls to it. */
  private static final class Queue implements ControllerQueue {
    private final List<CompletionEntry> told = new ArrayList<>();
    private boolean full;
    private boolean disconnected;
    private boolean gone;

    @Override
    public boolean tell(CompletionEntry entry) {
      return !full && told.add(entry);
    }

    @Override
    public void disconnect() {
      disconnected = true;
    }

    @Override
    public boolean gone() {
      return gone;
    }
  }

  @Test
  void keepAliveTimeOutEndsTheController() throws Exception {
    begin(5000);
    after(4);
    assertThat(admin.disconnected).isFalse();
    controller.heard();
    after(4);
    assertThat(admin.disconnected).isFalse();
    after(6);
    assertThat(admin.disconnected).isTrue();
    assertThat(io.disconnected).isTrue();
    assertThat(controller.serving()).isFalse();
  }

  @Test
  void silentHostIsKeptWithoutAKeepAliveTimeOut() throws Exception {
    begin(0);
    after(100_000);
    assertThat(admin.disconnected || io.disconnected).isFalse();
  }

  @Test
  void queuesWithoutTheirAdminQueueEndAfterAWhile() throws Exception {
    begin(0);
    controller.leave(0, admin);
    after(1);
    after(9);
    assertThat(io.disconnected).isFalse();
    after(2);
    assertThat(io.disconnected).isTrue();
  }

  @Test
  void adminQueueThatComesInTimeSavesTheOthers() throws Exception {
    begin(0);
    controller.leave(0, admin);
    after(1);
    after(8);
    controller.rejoin(0, admin);
    after(8);
    controller.leave(0, admin);
    after(1);
    after(8);
    assertThat(io.disconnected).isFalse();
  }

  @Test
  void queueThatLostItsConnectionMakesRoom() throws Exception {
    begin(0);
    assertThat(controller.join(1, new Queue())).isFalse();
    io.gone = true;
    assertThat(controller.join(1, new Queue())).isTrue();
  }

  @Test
  void eventIsReportedWhenTheQueueHasSpaceAgain() throws Exception {
    begin(0);
    int unused = controller.feature(Features.EVENTS, 1 << 8);
    controller.request(77);
    admin.full = true;
    controller.happened(Event.NAMESPACE);
    assertThat(admin.told).isEmpty();
    admin.full = false;
    after(1);
    assertThat(admin.told).extracting(CompletionEntry::command).containsExactly(77);
    controller.request(78);
    controller.happened(Event.NAMESPACE);
    after(1);
    assertThat(admin.told).as("not read yet").hasSize(1);
    controller.read(4);
    controller.happened(Event.NAMESPACE);
    assertThat(admin.told).extracting(CompletionEntry::command).containsExactly(77, 78);
  }

  @Test
  void disabledEventsAreNotReported() throws Exception {
    begin(0);
    controller.request(77);
    controller.happened(Event.NAMESPACE);
    assertThat(admin.told).isEmpty();
    controller.happened(Event.RESERVATION);
    assertThat(admin.told).hasSize(1);
  }

  private void begin(long keepAliveMillis) throws Exception {
    controller.created(keepAliveMillis);
    controller.rejoin(0, admin);
    controller.property(0x14, false, ENABLE);
    assertThat(controller.join(1, io)).isTrue();
    controller.tick(now);
  }

  private void after(long seconds) {
    now += seconds * SECOND;
    controller.tick(now);
  }
}
