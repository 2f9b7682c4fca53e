package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.ServingState.Way;
import dev.holdfast.datapath.internal.ServingChoice.Facts;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Table of the ways in which a volume is served. */
class ServingChoiceTest {
  private static Facts facts(
      String protocol, boolean declared, boolean forwards, boolean content, boolean reserved) {
    return new Facts(
        protocol,
        declared,
        Set.of("nbd"),
        forwards,
        content,
        reserved,
        false,
        Optional.empty(),
        false);
  }

  @ParameterizedTest
  @CsvSource({
    "nbd,   true,  false, false, false, NATIVE, Exported",
    "iscsi, true,  false, false, false, PORTAL, ProtocolNotExported",
    "nbd,   true,  true,  false, false, PORTAL, Forwarding",
    "nbd,   true,  false, true,  false, PORTAL, FirstContent",
    "nbd,   true,  false, false, true,  PORTAL, ReservationsHeld",
    "nbd,   false, false, false, false, PORTAL, ''",
    "iscsi, false, true,  true,  true,  PORTAL, ''",
    "iscsi, true,  true,  true,  true,  PORTAL, Forwarding",
  })
  void exportIsChosenWhenNothingNeedsTheBytes(
      String protocol,
      boolean declared,
      boolean forwards,
      boolean content,
      boolean reserved,
      Way way,
      String reason) {
    ServingState chosen = ServingChoice.of(facts(protocol, declared, forwards, content, reserved));
    assertThat(chosen.way()).isEqualTo(way);
    assertThat(chosen.reason()).isEqualTo(reason);
  }

  private static ServingState refused(boolean limited) {
    return ServingChoice.of(
        new Facts(
            "nbd",
            true,
            Set.of("nbd"),
            false,
            false,
            false,
            false,
            Optional.of("no bursts"),
            limited));
  }

  @Test
  void otherHostsKeepTheVolumeAtThePortal() {
    ServingState chosen =
        ServingChoice.of(
            new Facts(
                "nbd", true, Set.of("nbd"), false, false, false, true, Optional.empty(), false));
    assertThat(chosen.way()).isEqualTo(Way.PORTAL);
    assertThat(chosen.reason()).isEqualTo("OtherHosts");
  }

  @Test
  void changingStateNamesTheWayToWhichHostsChange() {
    assertThat(ServingChoice.changing(refused(true)))
        .isEqualTo(
            new ServingState(
                Way.CHANGING, "ChangingPath", "hosts are switching to the portal: no bursts"));
    assertThat(ServingChoice.changing(new ServingState(Way.NATIVE, "Exported", "")).message())
        .isEqualTo("hosts are switching to the engine's export");
  }

  @Test
  void refusedLimitOrExportLeadsToThePortal() {
    assertThat(refused(true))
        .isEqualTo(new ServingState(Way.PORTAL, "LimitUnsupported", "no bursts"));
    assertThat(refused(false).reason()).isEqualTo("ExportUnsupported");
  }

  @Test
  void wayInUseStaysUntilTheNextAttach() {
    ServingState exported = new ServingState(Way.NATIVE, "Exported", "");
    assertThat(ServingChoice.keeping(Way.NATIVE, exported)).isEqualTo(exported);
    assertThat(ServingChoice.keeping(Way.PORTAL, exported))
        .isEqualTo(
            new ServingState(
                Way.PORTAL,
                "NextAttach",
                "hosts use the portal until the volume is attached again"));
    ServingState limited = ServingChoice.keeping(Way.NATIVE, refused(true));
    assertThat(limited.way()).isEqualTo(Way.NATIVE);
    assertThat(limited.reason()).isEqualTo("LimitUnsupported");
    assertThat(limited.message())
        .isEqualTo("no bursts; hosts use the engine's export until the volume is attached again");
    assertThat(ServingChoice.keeping(Way.NATIVE, ServingState.PLAIN).reason())
        .isEqualTo("NextAttach");
  }
}
