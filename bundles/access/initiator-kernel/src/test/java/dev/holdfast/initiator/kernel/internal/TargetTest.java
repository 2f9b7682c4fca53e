package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TargetTest {
  private final Sessions iscsi = new IscsiSessions();
  private final Sessions nvme = new NvmeControllers();

  @Test
  void iscsiEndpointNamesTargetAndUnit() throws Exception {
    URI endpoint = URI.create("iscsi://10.0.0.1:3261/iqn.2026-01.dev.holdfast:films/2");
    assertThat(iscsi.target(endpoint))
        .isEqualTo(new Target(endpoint, "10.0.0.1", 3261, "iqn.2026-01.dev.holdfast:films", 2));
  }

  @Test
  void nvmeEndpointNamesSubsystem() throws Exception {
    URI endpoint = URI.create("nvme://node-1/nqn.2026-11.dev.holdfast:films");
    assertThat(nvme.target(endpoint))
        .isEqualTo(new Target(endpoint, "node-1", 4420, "nqn.2026-11.dev.holdfast:films", 1));
  }

  @Test
  void sixthVersionsAddressHasBracketsForProgramsOnly() throws Exception {
    Target target = iscsi.target(URI.create("iscsi://[fd00::1]/iqn.2026-01.dev.holdfast:a/0"));
    assertThat(target.host()).isEqualTo("fd00::1");
    assertThat(target.portal()).isEqualTo("[fd00::1]:3260");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "iscsi:///iqn.2026-01.dev.holdfast:a/0",
        "iscsi://host/iqn.2026-01.dev.holdfast:a",
        "iscsi://host/0",
        "iscsi://host/iqn.2026-01.dev.holdfast:a/x",
        "iscsi://host/iqn.2026-01.dev.holdfast:a/../0",
        "iscsi://host/a%20b/0",
        "iscsi://host"
      })
  void malformedEndpointIsInvalid(String endpoint) {
    assertThatThrownBy(() -> iscsi.target(URI.create(endpoint)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }

  /** The kernel takes a comma as the beginning of another option. */
  @Test
  void subsystemCannotBringOptionsForTheKernel() {
    assertThatThrownBy(() -> nvme.target(URI.create("nvme://host/nqn.x:a,hostnqn=nqn.y")))
        .isInstanceOf(StorageException.class);
  }
}
