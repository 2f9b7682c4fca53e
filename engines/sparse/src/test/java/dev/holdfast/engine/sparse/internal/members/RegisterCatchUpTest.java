package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A decision of a majority of the members while the register was unreachable. */
class RegisterCatchUpTest {
  private final InMemoryRegister register = new InMemoryRegister();
  private final RequestGate gate = new RequestGate(Runnable::run);
  private final QueuedClock clock = new QueuedClock();
  private final List<StorageException> superseded = new ArrayList<>();
  private final Epoch decided = new Epoch(1, 2, new TreeSet<>(List.of("a", "b")));
  private RegisterCatchUp catchUp;

  @BeforeEach
  void decideAlone() throws Exception {
    Epoch first = new Epoch(1, 1, new TreeSet<>(List.of("a", "b", "c")));
    Membership opened = new Membership(1, "node-1", 0, 0, new TreeSet<>(), 1 << 20, "", List.of());
    Membership stored = first.in(opened, "first opening");
    assertThat(register.compareAndSet(Membership.NONE, stored)).isTrue();
    RegisterRecord record = new RegisterRecord("vol", register, stored);
    catchUp = new RegisterCatchUp(record, gate, clock, Duration.ofSeconds(1), superseded::add);
    catchUp.begin();
    assertThat(clock.waiting()).as("the register lacks nothing").isZero();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    assertThat(record.decide(decided, "dropped: c")).isTrue();
  }

  @Test
  void decisionIsRecordedWhenTheRegisterReturns() {
    catchUp.begin();
    catchUp.begin();
    assertThat(clock.waiting()).isOne();
    clock.next();
    assertThat(clock.waiting()).as("tried again").isOne();
    register.become(InMemoryRegister.Mode.REACHABLE);
    clock.next();
    assertThat(Epoch.of(register.record())).isEqualTo(decided);
    assertThat(clock.waiting()).isZero();
    assertThat(superseded).isEmpty();
  }

  @Test
  void registerIsNotWrittenOnceTheVolumeIsClosed() {
    catchUp.begin();
    gate.close(ErrorCode.IO, "closed");
    register.become(InMemoryRegister.Mode.REACHABLE);
    clock.next();
    assertThat(Epoch.of(register.record())).isNotEqualTo(decided);
    assertThat(clock.waiting()).isZero();
  }

  @Test
  void endsWhereALaterEngineTookOver() {
    Membership before = register.record();
    register.put(
        new Membership(
            2,
            "node-2",
            before.epochGeneration(),
            before.epochNumber(),
            before.members(),
            before.sizeBytes(),
            "",
            before.history()));
    register.become(InMemoryRegister.Mode.REACHABLE);
    catchUp.begin();
    clock.next();
    assertThat(superseded).extracting(StorageException::code).containsExactly(ErrorCode.FORBIDDEN);
    assertThat(register.record().owner()).isEqualTo("node-2");
    assertThat(clock.waiting()).isZero();
  }
}
