package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Connections of open volumes to the records of their replicas. They can end at any time. */
class SpdkRecordTest extends TargetEndTestBase {
  private static final String META = "-meta";

  private final InterruptedLab interrupted = new InterruptedLab();

  /** A node whose connections and calls a test can interrupt. */
  private static final class InterruptedLab extends SpdkLab {
    private volatile Optional<Interruption> read = Optional.empty();
    private volatile Optional<Interruption> call = Optional.empty();

    /** A step that runs once, at the first event of a kind. */
    private record Interruption(Predicate<String> first, Step step) {}

    /** A step of a test. */
    interface Step {
      void run() throws Exception;
    }

    /** Runs a step before the next read by this thread over a connection to a subsystem. */
    void beforeRead(Predicate<String> nqn, Step step) {
      Thread reader = Thread.currentThread();
      read =
          Optional.of(
              new Interruption(one -> reader == Thread.currentThread() && nqn.test(one), step));
    }

    /** Runs a step before the next call that creates a subsystem. */
    void beforeSubsystem(Predicate<String> nqn, Step step) {
      call = Optional.of(new Interruption(nqn, step));
    }

    private static void run(Step step) {
      try {
        step.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    Connector connector() {
      Connector real = super.connector();
      return (address, nqn, host) ->
          new ForwardingBlockDevice(real.connect(address, nqn, host)) {
            @Override
            public void read(long offset, ByteBuffer target, Completion completion) {
              Optional<Interruption> due = read.filter(one -> one.first().test(nqn));
              if (due.isPresent()) {
                read = Optional.empty();
                InterruptedLab.run(due.get().step());
              }
              super.read(offset, target, completion);
            }
          };
    }

    @Override
    SpdkTarget target() {
      return new SpdkTarget(socket()) {
        @Override
        public JsonNode call(String method, ObjectNode params, Duration patience)
            throws StorageException {
          Optional<Interruption> due = call.filter(one -> one.first().test(nqn(params)));
          if (method.equals("nvmf_create_subsystem") && due.isPresent()) {
            call = Optional.empty();
            InterruptedLab.run(due.get().step());
          }
          return super.call(method, params, patience);
        }
      };
    }

    private static String nqn(ObjectNode params) {
      return params.path("nqn").asText();
    }
  }

  @Override
  SpdkLab lab() {
    return interrupted;
  }

  private static boolean isSnapshotMade(SpdkVolume volume, String name) throws StorageException {
    try {
      var unused = volume.createSnapshot(named(name));
      return true;
    } catch (StorageException e) {
      assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.UNREACHABLE);
      return false;
    }
  }

  /**
   * An inspection of a replica creates the subsystem of its record, and ends after the restoration.
   */
  @Test
  void lookThatBeganBeforeARestorationLeavesItsRecord() throws Exception {
    try (SpdkVolume volume = open(1)) {
      CountDownLatch looking = new CountDownLatch(1);
      CountDownLatch restored = new CountDownLatch(1);
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      restartTarget();
      Future<Optional<ReplicaInfo>> look =
          threads.submit(
              () -> {
                interrupted.beforeRead(
                    nqn -> nqn.endsWith(META),
                    () -> {
                      looking.countDown();
                      restored.await();
                    });
                return engine.inspectReplica(replicas(1).get(0));
              });
      looking.await();
      register.become(InMemoryRegister.Mode.REACHABLE);
      listener.awaitExportChange();
      restored.countDown();
      assertThat(look.get()).isPresent();
      assertThat(isSnapshotMade(volume, "s1")).as("snapshot at the first attempt").isTrue();
    }
  }

  @Test
  void volumeThatLostTheConnectionToARecordIsRestored() throws Exception {
    try (SpdkVolume volume = open(2);
        SpdkTarget target = new SpdkTarget(lab.socket())) {
      for (JsonNode one : target.call("nvmf_get_subsystems", SpdkTarget.params())) {
        String nqn = one.path("nqn").asText();
        if (nqn.endsWith(META)) {
          target.run("nvmf_delete_subsystem", SpdkTarget.params().put("nqn", nqn));
        }
      }
      Eventually.holds("snapshot", () -> isSnapshotMade(volume, "s1"));
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(listener.failure()).isEmpty();
    }
  }

  /** The process that ends has the records open. The next process exports the volume. */
  @Test
  void targetThatIsRestartedInARestorationIsNoticed() throws Exception {
    try (SpdkVolume volume = open(1)) {
      interrupted.beforeSubsystem(
          nqn -> nqn.equals(volume.nqn()),
          () -> {
            restartTarget();
            var unused = engine.inspectReplica(replicas(1).get(0)); // the target gets the disk
          });
      restartTarget();
      listener.awaitExportChange();
      Eventually.holds("snapshot", () -> isSnapshotMade(volume, "s1"));
      assertThat(listener.failure()).isEmpty();
    }
  }
}
