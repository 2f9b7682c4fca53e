package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decisions while the register is unreachable, or its answers are lost. */
class RegisterRecordTest {
  private final InMemoryRegister register = new InMemoryRegister();

  private static Epoch epoch(long number, String... members) {
    return new Epoch(1, number, new TreeSet<>(List.of(members)));
  }

  private RegisterRecord recordOf(Epoch first) throws Exception {
    Membership opened = new Membership(1, "node-1", 0, 0, new TreeSet<>(), 1 << 20, "", List.of());
    Membership stored = first.in(opened, "first opening");
    assertThat(register.compareAndSet(Membership.NONE, stored)).isTrue();
    return new RegisterRecord("vol", register, stored);
  }

  /** A register that answers when the test permits it. */
  private final class SlowRegister implements MembershipRegister {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    @Override
    public Membership read() throws StorageException {
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      asked.countDown();
      Uninterruptibly.await(answer);
      return register.compareAndSet(expected, next);
    }
  }

  @Test
  @Timeout(60)
  void recordIsReadableDuringACallOfTheRegister() throws Exception {
    Membership before = recordOf(epoch(1, "a", "b", "c")).stored();
    SlowRegister slow = new SlowRegister();
    RegisterRecord record = new RegisterRecord("vol", slow, before);
    CompletableFuture<Boolean> deciding =
        CompletableFuture.supplyAsync(() -> decided(record, epoch(2, "a", "b")));
    slow.asked.await();
    RegisterRecord.Knowledge meanwhile = record.knowledge();
    assertThat(meanwhile.stored()).isEqualTo(before);
    assertThat(meanwhile.inDoubt())
        .as("it may take effect, and each engine that continues knows it")
        .extracting(Epoch::of)
        .containsExactly(epoch(2, "a", "b"));
    assertThat(record.behind()).isFalse();
    CompletableFuture<Boolean> next =
        CompletableFuture.supplyAsync(() -> decided(record, epoch(3, "a")));
    slow.answer.countDown();
    assertThat(deciding.get()).isTrue();
    assertThat(next.get()).as("a change that waited for the first one").isTrue();
    assertThat(record.knowledge().inDoubt()).isEmpty();
    assertThat(record.knowledge().inForce()).isEqualTo(epoch(3, "a"));
    assertThat(Epoch.of(register.record())).isEqualTo(epoch(3, "a"));
  }

  private static boolean decided(RegisterRecord record, Epoch epoch) {
    try {
      return record.decide(epoch, "dropped");
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anAttemptThatTookEffectAfterAllIsNotTakenBackByAnEarlierDecision() throws Exception {
    RegisterRecord record = recordOf(epoch(1, "a", "b", "c"));
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    assertThat(record.decide(epoch(2, "a", "b"), "dropped: c")).isTrue();
    register.become(InMemoryRegister.Mode.ANSWERS_LOST);
    assertThat(record.decide(epoch(4, "b"), "dropped: a")).isFalse();
    register.become(InMemoryRegister.Mode.REACHABLE);
    assertThat(record.change(unchanged -> unchanged)).isTrue();
    assertThat(Epoch.of(register.record())).isEqualTo(epoch(4, "b"));
    assertThat(register.record().history())
        .extracting(DecidedEpoch::number)
        .containsExactly(1L, 2L, 4L);
    assertThat(record.decide(epoch(5, "b"), "dropped: a")).isTrue();
    assertThat(Epoch.of(register.record())).isEqualTo(epoch(5, "b"));
  }
}
