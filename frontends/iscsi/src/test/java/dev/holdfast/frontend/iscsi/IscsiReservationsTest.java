package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.testkit.HeldBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reservations exclude other initiators, also across lost connections, replaced bundles and new
 * exports.
 */
final class IscsiReservationsTest {
  private static final int REGISTER = 0;
  private static final int RESERVE = 1;
  private static final int PREEMPT = 4;
  private static final int PREEMPT_AND_ABORT = 5;
  private static final int REGISTER_AND_MOVE = 7;
  private static final int EXCLUSIVE_ACCESS = 3;
  private static final String CONFLICT = "status 24";
  private static final String BECOMING_READY = "2/401";

  private final Map<String, String> kept = new HashMap<>();
  private final MemoryBlockDevice device = new MemoryBlockDevice(1 << 20);
  private IscsiFrontend frontend = new IscsiFrontend();
  private SocketPortal portal;
  private PublishedExport export;
  private volatile boolean moving;

  private final ExportStateStore store =
      new ExportStateStore() {
        @Override
        public Map<String, String> load() {
          return Map.copyOf(kept);
        }

        @Override
        public void save(Map<String, String> texts) {
          kept.clear();
          kept.putAll(texts);
        }

        @Override
        public boolean replace(
            String name, Optional<String> expected, Optional<String> next, boolean durable)
            throws StorageException {
          if (moving) {
            throw new StorageException(ErrorCode.BUSY, "the volume moves");
          }
          return ExportStateStore.super.replace(name, expected, next, durable);
        }
      };

  @BeforeEach
  void start() throws Exception {
    portal = node();
    portal.arrived(frontend);
    export = portal.publish("iscsi", "fenced", device, store);
  }

  private static SocketPortal node() throws StorageException {
    return new SocketPortal(
        new PortalSettings(
            name -> name.equals("holdfast.iscsi.port") ? Optional.of("0") : Optional.empty()));
  }

  @AfterEach
  void stop() {
    portal.close();
  }

  @Test
  void theHolderWritesAndOthersDoNot() throws Exception {
    try (IscsiClient holder = connect();
        IscsiClient other = connect()) {
      reserve(holder, 7, false);
      get(holder.write(0, new byte[512], false));
      assertConflict(other.write(0, new byte[512], false));
      assertConflict(other.read(0, 512));
      get(out(other, REGISTER, 0, 0, 9, false));
      get(out(other, PREEMPT, EXCLUSIVE_ACCESS, 9, 7, false));
      get(other.write(0, new byte[512], false));
      assertConflict(holder.write(0, new byte[512], false));
    }
  }

  @Test
  void dataThatComesAfterAReservationIsNotWritten() throws Exception {
    device.write(0, ByteBuffer.wrap(new byte[] {1}), 0, failure -> {});
    try (IscsiWire fenced = IscsiWire.login(export.endpoint(), IscsiClient.Style.SOLICITED);
        IscsiClient holder = connect()) {
      fenced.send(write(1, fenced.firstCommand()), new byte[0], 0, 0);
      assertThat(ScsiResponse.parse(fenced.receive().header()).status()).isEqualTo(2);
      fenced.send(write(2, fenced.firstCommand() + 1), new byte[0], 0, 0);
      assertThat(fenced.receive().opcode()).isEqualTo(ReadyToTransfer.OPCODE);
      reserve(holder, 7, false);
      fenced.send(new DataOut(true, 0, 2, 2, 0, 0, 0), new byte[512], 0, 512);
      assertThat(ScsiResponse.parse(fenced.receive().header()).status()).isEqualTo(24);
      assertThat(get(holder.read(0, 512))[0]).isEqualTo((byte) 1);
    }
  }

  private static ScsiCommand write(int tag, int number) {
    ByteBuffer cdb = ByteBuffer.allocate(16).put(0, (byte) 0x8a).putInt(10, 1);
    return new ScsiCommand(false, true, false, true, 0, 0, tag, 512, number, 0, cdb);
  }

  @Test
  void reservationsSurviveTheReplacementOfTheBundle() throws Exception {
    try (IscsiClient holder = connect();
        IscsiClient other = connect()) {
      reserve(holder, 7, false);
      for (int i = 0; i < 3; i++) {
        portal.left(frontend);
        frontend = new IscsiFrontend();
        portal.arrived(frontend);
        assertConflict(other.write(0, new byte[512], false));
        get(holder.write(0, new byte[512], false));
      }
    }
  }

  @Test
  void durableReservationsSurviveTheExport() throws Exception {
    try (IscsiClient holder = connect()) {
      reserve(holder, 7, true);
    }
    republish();
    try (IscsiClient other = connect()) {
      assertConflict(other.write(0, new byte[512], false));
      assertThat(firstKey(other)).isEqualTo(7);
    }
  }

  @Test
  void changesOfAnotherNodeAreNotUndone() throws Exception {
    try (SocketPortal other = node()) {
      other.arrived(new IscsiFrontend());
      PublishedExport there = other.publish("iscsi", "fenced", device, store);
      try (IscsiClient holder = connect();
          IscsiClient winner = IscsiClient.connect(there.endpoint(), IscsiClient.Style.IMMEDIATE)) {
        reserve(holder, 7, true);
        get(out(winner, REGISTER, 0, 0, 9, true));
        assertThat(firstKey(winner)).isEqualTo(7);
        assertConflict(winner.write(0, new byte[512], false));
        get(out(winner, PREEMPT, EXCLUSIVE_ACCESS, 9, 7, false));
        assertConflict(out(holder, REGISTER, 0, 7, 8, true));
        assertConflict(holder.write(0, new byte[512], false));
        get(winner.write(0, new byte[512], false));
      }
    }
  }

  @Test
  void reservationsAreReadOnlyWhileTheVolumeIsExportedByTwoNodes() throws Exception {
    try (IscsiClient holder = connect();
        IscsiClient other = connect()) {
      reserve(holder, 7, true);
      moving = true;
      assertSense(out(other, REGISTER, 0, 0, 9, true), BECOMING_READY);
      assertSense(out(holder, REGISTER, 0, 7, 8, true), BECOMING_READY);
      assertConflict(other.write(0, new byte[512], false));
      get(holder.write(0, new byte[512], false));
      moving = false;
      get(out(other, REGISTER, 0, 0, 9, true));
      assertThat(firstKey(other)).isEqualTo(7);
    }
  }

  @Test
  void othersEndWithTheExport() throws Exception {
    try (IscsiClient holder = connect()) {
      reserve(holder, 7, false);
    }
    republish();
    assertThat(kept).isEmpty();
    try (IscsiClient other = connect()) {
      get(other.write(0, new byte[512], false));
    }
  }

  @Test
  @Timeout(120)
  void preemptAndAbortEndsAfterTheWritesOfPreemptedInitiators() throws Exception {
    HeldBlockDevice held = new HeldBlockDevice(device);
    export.close();
    export = portal.publish("iscsi", "fenced", held, store);
    try (IscsiClient fenced = connect();
        IscsiClient winner = connect();
        IscsiClient watcher = connect()) {
      reserve(fenced, 7, false);
      get(out(winner, REGISTER, 0, 0, 9, false));
      CompletableFuture<?> write = fenced.write(0, new byte[512], false);
      while (held.waiting() == 0) {
        Thread.onSpinWait();
      }
      CompletableFuture<byte[]> preempted =
          out(winner, PREEMPT_AND_ABORT, EXCLUSIVE_ACCESS, 9, 7, false);
      while (firstKey(watcher) != 9) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < 100; i++) {
        assertThat(firstKey(watcher)).isEqualTo(9);
      }
      assertThat(preempted).as("while a write is at the device").isNotDone();
      held.releaseOldest();
      get(preempted);
      get(write);
      assertConflict(fenced.write(0, new byte[512], false));
      assertThat(held.waiting()).isZero();
    }
  }

  /**
   * READ FULL STATUS lists the transport identifiers; the latest registration is the last entry.
   */
  private static byte[] identityOfLast(IscsiClient client) throws Exception {
    byte[] fullStatus = new byte[16];
    fullStatus[0] = 0x5e;
    fullStatus[1] = 3;
    fullStatus[7] = 4;
    ByteBuffer status = ByteBuffer.wrap(get(client.submit(fullStatus, new byte[0], 1024)));
    int end = 8 + status.getInt(4);
    byte[] last = new byte[0];
    for (int at = 8; at < end; at += 24 + status.getInt(at + 20)) {
      last = new byte[status.getInt(at + 20)];
      status.get(at + 24, last);
    }
    return last;
  }

  private static CompletableFuture<byte[]> move(
      IscsiClient client, long key, long next, boolean leave, byte[] identity) {
    ByteBuffer list = ByteBuffer.allocate(24 + identity.length).putLong(key).putLong(next);
    list.put(17, (byte) (leave ? 2 : 0)).putShort(18, (short) 1).putInt(20, identity.length);
    list.put(24, identity);
    byte[] cdb = new byte[16];
    cdb[0] = 0x5f;
    cdb[1] = REGISTER_AND_MOVE;
    ByteBuffer.wrap(cdb).putInt(5, list.capacity());
    return client.submit(cdb, list.array(), 0);
  }

  @Test
  void holderHandsItsReservationOver() throws Exception {
    try (IscsiClient holder = connect();
        IscsiClient heir = connect()) {
      reserve(holder, 7, false);
      get(out(heir, REGISTER, 0, 0, 9, false));
      byte[] identity = identityOfLast(holder);
      assertConflict(move(heir, 9, 8, false, identity));
      assertConflict(move(holder, 6, 8, false, identity));
      get(move(holder, 7, 8, true, identity));
      get(heir.write(0, new byte[512], false));
      assertConflict(holder.write(0, new byte[512], false));
      assertThat(firstKey(holder)).isEqualTo(8);
    }
  }

  @Test
  void reservationsThatCannotBeMovedAreReported() throws Exception {
    try (IscsiClient holder = connect();
        IscsiClient heir = connect()) {
      get(out(holder, REGISTER, 0, 0, 7, false));
      get(out(heir, REGISTER, 0, 0, 9, false));
      byte[] identity = identityOfLast(holder);
      assertSense(move(holder, 7, 8, false, identity), "5/2400");
      get(out(holder, RESERVE, EXCLUSIVE_ACCESS, 7, 0, false));
      assertSense(move(holder, 7, 0, false, identity), "5/2600");
      byte[] nameOnly = identity.clone();
      nameOnly[0] = 0x05;
      assertSense(move(holder, 7, 8, false, nameOnly), "5/2600");
      assertSense(move(holder, 7, 8, false, new byte[8]), "5/1a00");
      get(holder.write(0, new byte[512], false));
    }
  }

  private static long firstKey(IscsiClient client) throws Exception {
    byte[] readKeys = new byte[16];
    readKeys[0] = 0x5e;
    readKeys[8] = 16;
    return ByteBuffer.wrap(get(client.submit(readKeys, new byte[0], 16))).getLong(8);
  }

  private void republish() throws Exception {
    export.close();
    export = portal.publish("iscsi", "fenced", device, store);
  }

  private IscsiClient connect() throws Exception {
    return IscsiClient.connect(export.endpoint(), IscsiClient.Style.IMMEDIATE);
  }

  private static void reserve(IscsiClient client, long key, boolean durable) throws Exception {
    get(out(client, REGISTER, 0, 0, key, durable));
    get(out(client, RESERVE, EXCLUSIVE_ACCESS, key, 0, false));
  }

  private static CompletableFuture<byte[]> out(
      IscsiClient client, int action, int type, long key, long other, boolean durable) {
    byte[] list =
        ByteBuffer.allocate(24)
            .putLong(key)
            .putLong(other)
            .put(20, (byte) (durable ? 1 : 0))
            .array();
    byte[] cdb = new byte[16];
    cdb[0] = 0x5f;
    cdb[1] = (byte) action;
    cdb[2] = (byte) type;
    cdb[8] = (byte) list.length;
    return client.submit(cdb, list, 0);
  }

  private static void assertConflict(CompletableFuture<?> request) {
    assertThatThrownBy(() -> get(request)).hasMessageContaining(CONFLICT);
  }

  private static void assertSense(CompletableFuture<?> request, String sense) {
    assertThatThrownBy(() -> get(request)).hasMessageContaining(sense);
  }

  private static <T> T get(CompletableFuture<T> request) throws Exception {
    return request.get(20, TimeUnit.SECONDS);
  }
}
