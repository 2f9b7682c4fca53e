package dev.holdfast.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultyResourceStoreTest {
  private final MemoryResourceStore store = new MemoryResourceStore();

  private static Setting setting(String name) {
    return Setting.of(name, new SettingSpec("1"));
  }

  private ErrorCode createUnder(FaultSchedule.Fault fault) {
    FaultyResourceStore faulty = new FaultyResourceStore(store, (o, kind, name) -> fault);
    return catchThrowableOfType(StorageException.class, () -> faulty.create(setting("a"))).code();
  }

  @Test
  void aFaultBeforeAppliesNothing() {
    assertThat(createUnder(FaultSchedule.Fault.BEFORE)).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(store.get(Setting.KIND, "a")).isEmpty();
  }

  @Test
  void aFaultAfterAppliesTheWrite() {
    assertThat(createUnder(FaultSchedule.Fault.AFTER)).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(store.get(Setting.KIND, "a")).isPresent();
  }

  @Test
  void theSameSeedGivesTheSameFaults() {
    List<FaultSchedule.Fault> first = draw(FaultSchedule.seeded(5, 0.3, 0.3));

    assertThat(draw(FaultSchedule.seeded(5, 0.3, 0.3))).isEqualTo(first);
    assertThat(first).contains(FaultSchedule.Fault.values());
    assertThat(draw(FaultSchedule.seeded(5, 0, 0))).containsOnly(FaultSchedule.Fault.NONE);
  }

  private static List<FaultSchedule.Fault> draw(FaultSchedule schedule) {
    List<FaultSchedule.Fault> faults = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      faults.add(schedule.next(FaultSchedule.Operation.UPDATE, Setting.KIND, "a"));
    }
    return faults;
  }
}
