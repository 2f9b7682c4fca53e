package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.PublishedExport;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two hosts and one volume with reservations. */
final class NvmeReservationsTest extends NvmeTestBase {
  private static final int REGISTER = 0x0d;
  private static final int REPORT = 0x0e;
  private static final int ACQUIRE = 0x11;
  private static final int RELEASE = 0x15;
  private static final int CONFLICT = 0x83;
  private static final int NOT_READY = 0x82;
  private static final int PERSISTENT = 3 << 30;
  private static final int WRITE_EXCLUSIVE = 1 << 8;
  private static final int EXCLUSIVE_ACCESS = 2 << 8;

  private final Kept kept = new Kept();
  private PublishedExport export;
  private Host.Admin firstAdmin;
  private HostQueue first;
  private HostQueue second;

  /** Keeps texts like a cluster's store. */
  private static final class Kept implements ExportStateStore {
    private Map<String, String> texts = Map.of();
    private volatile boolean moving;

    @Override
    public boolean replace(
        String name, Optional<String> expected, Optional<String> next, boolean durable)
        throws StorageException {
      if (moving) {
        throw new StorageException(ErrorCode.BUSY, "the volume moves");
      }
      return ExportStateStore.super.replace(name, expected, next, durable);
    }

    @Override
    public Map<String, String> load() {
      return texts;
    }

    @Override
    public void save(Map<String, String> all) {
      texts = Map.copyOf(all);
    }
  }

  @BeforeEach
  void connectBoth() throws Exception {
    export = server.publish("shared", device, kept);
    endpoint = export.endpoint();
    subsystem = endpoint.getPath().substring(1);
    connect();
  }

  private void connect() throws Exception {
    firstAdmin = admin();
    first = io(host, firstAdmin);
    second = io(host.another(), admin(host.another(), 0));
  }

  @Test
  void holderWritesAndOthersDoNot() throws Exception {
    register(first, 0, 1, 0);
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    assertThat(get(first.send(Entry.io(0x01, 0, 1), random(BLOCK, 1))).status()).isZero();
    assertThat(get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).status())
        .isEqualTo(CONFLICT);
    assertThat(get(second.send(Entry.io(0x08, 0, 1), 0)).status()).isEqualTo(CONFLICT);
    assertThat(get(second.send(new Entry(0x00).namespace(1), 0)).status()).isEqualTo(CONFLICT);
    assertThat(get(second.send(Entry.io(0x02, 0, 1), BLOCK)).data()).isEqualTo(random(BLOCK, 1));
    assertThat(status(first, RELEASE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    assertThat(get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).status()).isZero();
  }

  @Test
  void secondHostFencesTheFirst() throws Exception {
    register(first, 0, 1, 0);
    register(second, 0, 2, 0);
    assertThat(status(first, ACQUIRE, EXCLUSIVE_ACCESS, 1, 0)).isZero();
    assertThat(get(second.send(Entry.io(0x02, 0, 1), BLOCK)).status()).isEqualTo(CONFLICT);
    var told = firstAdmin.queue().send(new Entry(0x0c), 0);
    assertThat(status(second, ACQUIRE, EXCLUSIVE_ACCESS | 1, 2, 1)).isZero();
    assertThat(get(first.send(Entry.io(0x01, 0, 1), random(BLOCK, 1))).status())
        .isEqualTo(CONFLICT);
    assertThat(get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).status()).isZero();
    assertThat(status(first, ACQUIRE, EXCLUSIVE_ACCESS, 1, 0)).isEqualTo(CONFLICT);
    assertThat(get(told).result()).isEqualTo(0x80_00_06);
    ByteBuffer notice = page(get(firstAdmin.queue().send(log(0x80, 64), 64)));
    assertThat(notice.get(8)).as("registration preempted").isEqualTo((byte) 1);
    assertThat(page(get(firstAdmin.queue().send(log(0x80, 64), 64))).get(8)).isZero();
  }

  @Test
  void writesOfTheFencedHostHaveEndedWhenItIsFenced() throws Exception {
    AtomicReference<Runnable> held = new AtomicReference<>();
    AtomicBoolean holding = new AtomicBoolean(true);
    export.close();
    export =
        server.publish(
            "shared",
            new ForwardingBlockDevice(device) {
              @Override
              public void write(long at, ByteBuffer data, int flags, Completion completion) {
                if (holding.getAndSet(false)) {
                  held.set(() -> super.write(at, data, flags, completion));
                } else {
                  super.write(at, data, flags, completion);
                }
              }
            },
            kept);
    connect();
    register(first, 0, 1, 0);
    register(second, 0, 2, 0);
    assertThat(status(first, ACQUIRE, EXCLUSIVE_ACCESS, 1, 0)).isZero();
    var late = first.send(Entry.io(0x01, 0, 1), random(BLOCK, 1));
    while (held.get() == null) {
      Thread.onSpinWait();
    }
    var fencing = CompletableFuture.supplyAsync(() -> preempted());
    while (get(first.send(Entry.io(0x02, 0, 1), BLOCK)).status() != CONFLICT) {
      Thread.onSpinWait();
    }
    assertThat(fencing).isNotDone();
    held.get().run();
    assertThat(get(late).status()).isZero();
    assertThat(fencing.get(20, TimeUnit.SECONDS)).isZero();
    get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).orThrow();
    assertThat(get(second.send(Entry.io(0x02, 0, 1), BLOCK)).data()).isEqualTo(random(BLOCK, 2));
  }

  private int preempted() {
    try {
      return status(second, ACQUIRE, EXCLUSIVE_ACCESS | 2, 2, 1);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void reportNamesHoldersAndKeys() throws Exception {
    register(first, 0, 0x1111, 0);
    register(second, 0, 0x2222, 0);
    assertThat(status(second, ACQUIRE, WRITE_EXCLUSIVE, 0x2222, 0)).isZero();
    ByteBuffer report = report();
    assertThat(report.get(4)).as("type").isEqualTo((byte) 1);
    assertThat(report.getShort(5)).isEqualTo((short) 2);
    assertThat(report.get(64 + 2)).isZero();
    assertThat(report.getLong(64 + 8)).isEqualTo(0x1111);
    assertThat(report.get(128 + 2)).as("holds it").isEqualTo((byte) 1);
    ByteBuffer id = ByteBuffer.wrap(Bytes.of(report, 128 + 16, 16));
    assertThat(new UUID(id.getLong(), id.getLong())).isEqualTo(host.another().id());
    assertThat(get(first.send(new Entry(REPORT).namespace(1).dword(10, 15), 64)).status())
        .as("64-bit host identifiers")
        .isEqualTo(2);
  }

  @Test
  void wrongRequestsChangeNothing() throws Exception {
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isEqualTo(CONFLICT);
    assertThat(status(first, REGISTER, 1, 1, 0)).as("unregister").isEqualTo(CONFLICT);
    register(first, 0, 1, 0);
    assertThat(status(first, REGISTER, 0, 0, 7)).as("another key").isEqualTo(CONFLICT);
    assertThat(status(first, REGISTER, 0, 0, 1)).as("the same key").isZero();
    assertThat(status(first, REGISTER, 2, 5, 7)).as("wrong key").isEqualTo(CONFLICT);
    assertThat(status(first, REGISTER, 2, 1, 7)).isZero();
    assertThat(status(first, ACQUIRE, 7 << 8, 7, 0)).as("no such type").isEqualTo(2);
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE | 1 << 3, 7, 0)).isEqualTo(2);
    assertThat(status(first, REGISTER, 7, 7, 0)).isEqualTo(2);
    assertThat(get(first.send(new Entry(ACQUIRE).namespace(1), new byte[8])).status())
        .isEqualTo(0x0f);
    assertThat(report().getShort(5)).isEqualTo((short) 1);
  }

  @Test
  void persistentReservationIsThereAfterTheVolumeWasAway() throws Exception {
    register(first, 0, 1, PERSISTENT);
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    export.close();
    export = server.publish("shared", device, kept);
    connect();
    assertThat(get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).status())
        .isEqualTo(CONFLICT);
    assertThat(get(first.send(Entry.io(0x01, 0, 1), random(BLOCK, 1))).status()).isZero();
    assertThat(report().get(9)).as("PTPLS").isEqualTo((byte) 1);
    assertThat(get(firstAdmin.queue().send(feature(false, 0x83, 0).namespace(1), 0)).result())
        .isEqualTo(1);
  }

  @Test
  void changesOfAnotherNodeAreNotUndone() throws Exception {
    try (NvmeServer other = NvmeServer.start()) {
      endpoint = other.publish("shared", device, kept).endpoint();
      HostQueue winner = io(host.another(), admin(host.another(), 0));
      register(first, 0, 1, PERSISTENT);
      assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isZero();
      register(winner, 0, 2, PERSISTENT);
      assertThat(write(winner)).isEqualTo(CONFLICT);
      assertThat(status(winner, ACQUIRE, WRITE_EXCLUSIVE | 1, 2, 1)).isZero();
      assertThat(status(first, REGISTER, 2, 1, 7)).isEqualTo(CONFLICT);
      assertThat(write(first)).isEqualTo(CONFLICT);
      assertThat(write(winner)).isZero();
    }
  }

  @Test
  void reservationsAreReadOnlyWhileTheVolumeIsExportedByTwoNodes() throws Exception {
    register(first, 0, 1, PERSISTENT);
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    kept.moving = true;
    assertThat(status(second, REGISTER, 0, 0, 2)).isEqualTo(NOT_READY);
    assertThat(status(first, RELEASE, WRITE_EXCLUSIVE, 1, 0)).isEqualTo(NOT_READY);
    assertThat(write(second)).isEqualTo(CONFLICT);
    assertThat(write(first)).isZero();
    kept.moving = false;
    assertThat(status(first, RELEASE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    assertThat(write(second)).isZero();
  }

  private int write(HostQueue from) throws Exception {
    return get(from.send(Entry.io(0x01, 0, 1), random(BLOCK, 1))).status();
  }

  @Test
  void volatileReservationIsLostAfterTheVolumeWasDetached() throws Exception {
    register(first, 0, 1, 0);
    assertThat(status(first, ACQUIRE, WRITE_EXCLUSIVE, 1, 0)).isZero();
    export.close();
    export = server.publish("shared", device, kept);
    connect();
    assertThat(report().getShort(5)).isZero();
    assertThat(get(second.send(Entry.io(0x01, 0, 1), random(BLOCK, 2))).status()).isZero();
  }

  private void register(HostQueue from, long key, long next, int persistence) throws Exception {
    assertThat(status(from, REGISTER, persistence, key, next)).isZero();
  }

  private static int status(HostQueue from, int opcode, int how, long key, long other)
      throws Exception {
    ByteBuffer keys = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    keys.putLong(key).putLong(other);
    return get(from.send(new Entry(opcode).namespace(1).dword(10, how), keys.array())).status();
  }

  private ByteBuffer report() throws Exception {
    Entry report = new Entry(REPORT).namespace(1).dword(10, 63).dword(11, 1);
    return ByteBuffer.wrap(
            java.util.Arrays.copyOf(get(first.send(report, 256)).orThrow().data(), 256))
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
