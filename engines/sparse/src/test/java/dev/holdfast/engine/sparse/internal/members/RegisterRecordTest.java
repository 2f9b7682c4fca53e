package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.testkit.InMemoryRegister;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Decisions while the register is out of reach, or loses its answers. */
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
