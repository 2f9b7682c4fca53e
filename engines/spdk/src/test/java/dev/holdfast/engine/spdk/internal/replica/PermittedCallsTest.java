package dev.holdfast.engine.spdk.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Calls that engines of other nodes may make. */
class PermittedCallsTest {
  private static final LegPlace PLACE =
      new LegPlace(
          new ReplicaLocation(
              "vol",
              "vol-r-2",
              new DiskLocation("node-2", "", DiskKind.DEVICE, Path.of("/dev/disk")),
              "vol-2",
              false),
          "hf-store");
  private static final String OWN = PLACE.named("01234567");

  private static ObjectNode name(String value) {
    return SpdkTarget.params().put("name", value);
  }

  private static void refused(String method, ObjectNode params) {
    StorageException refusal =
        catchThrowableOfType(
            StorageException.class,
            () -> PermittedCalls.require(PLACE, "identity", method, params));
    assertThat(refusal).as(method + " " + params).isNotNull();
    assertThat(refusal.code()).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal).hasMessageContaining(method);
  }

  @Test
  void callAboutTheReplicaIsPermitted() {
    assertThatCode(
            () -> {
              PermittedCalls.require(PLACE, "identity", "bdev_get_bdevs", name(PLACE.alias(OWN)));
              PermittedCalls.require(
                  PLACE,
                  "identity",
                  "bdev_lvol_snapshot",
                  SpdkTarget.params()
                      .put("lvol_name", PLACE.alias(OWN))
                      .put("snapshot_name", PLACE.named("s")));
            })
        .doesNotThrowAnyException();
  }

  @Test
  void otherMethodsAreRefused() {
    refused("bdev_aio_delete", name(PLACE.alias(OWN)));
    refused("nvmf_get_subsystems", SpdkTarget.params());
    refused("spdk_kill_instance", SpdkTarget.params().put("sig_name", "SIGKILL"));
  }

  @Test
  void otherNamesAreRefused() {
    refused("bdev_lvol_delete", name("hf-other/" + OWN));
    refused("bdev_lvol_delete", name(PLACE.alias("hf-0123-other")));
    refused("bdev_lvol_delete", name(OWN));
    refused("bdev_lvol_delete", name("0f1e2d3c-1111-4222-8333-444455556666"));
    refused("bdev_lvol_delete", name(PLACE.alias(PLACE.meta())));
    refused(
        "bdev_lvol_clone_bdev",
        SpdkTarget.params()
            .put("bdev", "hf-other")
            .put("lvs_name", PLACE.store())
            .put("clone_name", OWN));
    refused("bdev_lvol_get_lvols", SpdkTarget.params().put("lvs_name", "hf-other"));
  }

  @Test
  void snapshotIsCopiedOnlyToTheDeviceOfItsRebuild() {
    ObjectNode copy = SpdkTarget.params().put("src_lvol_name", PLACE.alias(OWN));
    assertThatCode(
            () ->
                PermittedCalls.require(
                    PLACE,
                    "identity",
                    "bdev_lvol_start_shallow_copy",
                    copy.put("dst_bdev_name", LegPlace.source("identity") + "n1")))
        .doesNotThrowAnyException();
    refused("bdev_lvol_start_shallow_copy", copy.put("dst_bdev_name", PLACE.alias(OWN)));
    refused("bdev_set_qos_limit", name(PLACE.alias(OWN)).put("w_mbytes_per_sec", 1));
  }

  @Test
  void missingAndFurtherParametersAreRefused() {
    refused("bdev_get_bdevs", SpdkTarget.params());
    refused("bdev_lvol_delete", name(PLACE.alias(OWN)).put("force", true));
    ObjectNode nested = name(PLACE.alias(OWN));
    nested.putObject("size_in_mib");
    refused("bdev_lvol_resize", nested);
  }
}
