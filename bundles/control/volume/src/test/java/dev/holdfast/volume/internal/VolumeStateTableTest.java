package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The table of volume states, in every combination. */
class VolumeStateTableTest {
  private static final VolumeStateTable.Parts OPENED =
      new VolumeStateTable.Parts(true, true, false);
  private static final VolumeStateTable.Parts CLOSED =
      new VolumeStateTable.Parts(true, false, true);
  private static final VolumeStateTable.Parts BETWEEN =
      new VolumeStateTable.Parts(true, false, false);
  private static final VolumeStateTable.Parts UNMADE =
      new VolumeStateTable.Parts(false, false, true);
  private static final List<String> WANTED = List.of("", "n");
  private static final List<String> CURRENT = List.of("", "n", "m");

  private static final List<VolumeStateTable.Parts> ALL = List.of(OPENED, CLOSED, BETWEEN, UNMADE);

  private static String next(
      String wanted, String current, VolumeState state, VolumeStateTable.Parts parts) {
    VolumeStateTable.Row row = VolumeStateTable.next(wanted, current, "", state, parts);
    return row.goal() + " " + row.state() + " " + row.currentNodeID();
  }

  @Test
  void aNewVolumeIsMadeWhateverElseIsWanted() {
    for (String wanted : WANTED) {
      assertThat(next(wanted, "", VolumeState.CREATING, UNMADE)).isEqualTo("MAKE creating ");
      assertThat(next(wanted, "", VolumeState.CREATING, CLOSED)).isEqualTo("CLOSE detaching ");
    }
  }

  @Test
  void detachingEndsDetachedOnceClosed() {
    for (String wanted : WANTED) {
      for (String current : CURRENT) {
        assertThat(next(wanted, current, VolumeState.DETACHING, CLOSED))
            .isEqualTo("CLOSE detached ");
        assertThat(next(wanted, current, VolumeState.DETACHING, BETWEEN))
            .isEqualTo("CLOSE detaching " + current);
      }
    }
  }

  @Test
  void openingBeginsAndEndsOnlyForAWantedNodeWithoutACurrentOne() {
    assertThat(next("n", "", VolumeState.DETACHED, CLOSED)).isEqualTo("OPEN attaching ");
    assertThat(next("n", "", VolumeState.ATTACHING, BETWEEN)).isEqualTo("OPEN attaching ");
    assertThat(next("n", "", VolumeState.ATTACHING, OPENED)).isEqualTo("OPEN attached n");
    assertThat(next("n", "n", VolumeState.ATTACHED, BETWEEN)).isEqualTo("OPEN attached n");
    assertThat(next("", "", VolumeState.DETACHED, CLOSED)).isEqualTo("CLOSE detached ");
  }

  @Test
  void everyOtherCombinationGoesThroughDetaching() {
    Map<VolumeState, List<String>> open =
        Map.of(
            VolumeState.DETACHED, List.of("/", "n/"),
            VolumeState.ATTACHING, List.of("n/"),
            VolumeState.ATTACHED, List.of("n/n"));
    open.forEach(
        (state, exceptions) -> {
          for (String wanted : WANTED) {
            for (String current : CURRENT) {
              if (!exceptions.contains(wanted + "/" + current)) {
                for (VolumeStateTable.Parts parts : ALL) {
                  assertThat(next(wanted, current, state, parts))
                      .isEqualTo("CLOSE detaching " + current);
                }
              }
            }
          }
        });
  }

  @Test
  void theCurrentNodeIsSetOnlyWhenOpenedAndClearedOnlyWhenClosed() {
    for (VolumeState state : VolumeState.values()) {
      for (String wanted : WANTED) {
        for (String current : CURRENT) {
          for (VolumeStateTable.Parts parts : ALL) {
            String after = VolumeStateTable.next(wanted, current, "", state, parts).currentNodeID();
            boolean set = current.isEmpty() && !after.isEmpty();
            boolean cleared = !current.isEmpty() && after.isEmpty();
            assertThat(!set || parts.opened()).as(state + " " + wanted).isTrue();
            assertThat(!cleared || parts.closed()).as(state + " " + current).isTrue();
            assertThat(current.isEmpty() || after.isEmpty() || after.equals(current)).isTrue();
          }
        }
      }
    }
  }

  @Test
  void aMoveThatWasPreparedIsDoneOnceItIsOpenThere() {
    assertThat(moving("n", "m", "n", BETWEEN)).isEqualTo("OPEN attached m");
    assertThat(moving("n", "m", "n", OPENED)).isEqualTo("OPEN attached n");
    assertThat(moving("n", "m", "o", OPENED)).isEqualTo("CLOSE detaching m");
    assertThat(moving("n", "n", "m", OPENED)).isEqualTo("OPEN attached n");
    assertThat(moving("", "m", "n", OPENED)).isEqualTo("CLOSE detaching m");
    assertThat(moving("n", "", "n", OPENED)).isEqualTo("CLOSE detaching ");
  }

  private static String moving(
      String wanted, String current, String joined, VolumeStateTable.Parts parts) {
    VolumeStateTable.Row row =
        VolumeStateTable.next(wanted, current, joined, VolumeState.ATTACHED, parts);
    return row.goal() + " " + row.state() + " " + row.currentNodeID();
  }

  @Test
  void deletingIsPermanent() {
    assertThat(next("", "", VolumeState.DELETING, CLOSED)).isEqualTo("CLOSE deleting ");
  }
}
