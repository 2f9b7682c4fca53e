package dev.holdfast.engine.spdk.internal.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Set;
import java.util.TreeSet;

/** Methods that the engine calls. A build of SPDK may lack some. */
final class TargetAbilities {
  private static final Set<String> METHODS =
      Set.of(
          "bdev_aio_create",
          "bdev_get_bdevs",
          "bdev_get_iostat",
          "bdev_lvol_check_shallow_copy",
          "bdev_lvol_clone",
          "bdev_lvol_clone_bdev",
          "bdev_lvol_create",
          "bdev_lvol_create_lvstore",
          "bdev_lvol_delete",
          "bdev_lvol_get_lvstores",
          "bdev_lvol_resize",
          "bdev_lvol_set_parent",
          "bdev_lvol_snapshot",
          "bdev_lvol_start_shallow_copy",
          "bdev_nvme_attach_controller",
          "bdev_nvme_detach_controller",
          "bdev_nvme_disable_controller",
          "bdev_nvme_set_options",
          "bdev_raid_create",
          "bdev_raid_delete",
          "bdev_raid_get_bdevs",
          "bdev_set_qos_limit",
          "bdev_wait_for_examine",
          "keyring_file_add_key",
          "keyring_file_remove_key",
          "keyring_get_keys",
          "nvmf_create_subsystem",
          "nvmf_create_transport",
          "nvmf_delete_subsystem",
          "nvmf_subsystem_add_host",
          "nvmf_subsystem_add_listener",
          "nvmf_subsystem_add_ns",
          "nvmf_subsystem_listener_set_ana_state",
          "nvmf_subsystem_set_keys",
          "nvmf_subsystem_set_ns_ana_group");

  private TargetAbilities() {}

  /**
   * Checks that a target has the methods.
   *
   * @throws StorageException UNSUPPORTED with the missing ones and the remedy; UNREACHABLE; TIMEOUT
   */
  static void require(SpdkTarget target) throws StorageException {
    Set<String> missing = new TreeSet<>(METHODS);
    for (JsonNode method : target.call("rpc_get_methods", SpdkTarget.params())) {
      missing.remove(method.asText());
    }
    if (!missing.isEmpty()) {
      String version =
          target.call("spdk_get_version", SpdkTarget.params()).path("version").asText("unknown");
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "SPDK target ("
              + version
              + ") lacks "
              + String.join(", ", missing)
              + ": set "
              + TargetOptions.PROGRAM
              + " to an nvmf_tgt of v26.05 with the modules lvol, raid and nvme");
    }
  }
}
