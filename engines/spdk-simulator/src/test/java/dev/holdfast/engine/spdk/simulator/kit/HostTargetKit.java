package dev.holdfast.engine.spdk.simulator.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.RemoteController;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.UUID;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Identities that hosts see, hosts that are admitted, and keys between targets. */
abstract class HostTargetKit extends SpdkTargetKit {
  private static final String PEER = "nqn.2026-11.x:peer";

  private void assertRefusedHost(String subsystem, ErrorCode code) {
    StorageException refusal =
        catchThrowableOfType(StorageException.class, () -> host(subsystem).close());
    assertThat(refusal).as(subsystem).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
  }

  private void subsystem(String options) throws Exception {
    lvol("a", "v");
    call("a", "nvmf_create_subsystem", "{'nqn':'nqn.2026-11.x:v'%s}".formatted(options));
    call(
        "a",
        "nvmf_subsystem_add_ns",
        "{'nqn':'nqn.2026-11.x:v','namespace':{'bdev_name':'a/v','nsid':7,"
            + "'uuid':'6a0f2f60-2d7a-4d9c-8f35-0a1b2c3d4e5f',"
            + "'nguid':'00112233445566778899AABBCCDDEEFF'}}");
  }

  private void addHost(String host, String keys) throws Exception {
    call(
        "a",
        "nvmf_subsystem_add_host",
        "{'nqn':'nqn.2026-11.x:v','host':'%s'%s}".formatted(host, keys));
  }

  @Test
  final void hostSeesTheIdentityThatCallsGave() throws Exception {
    subsystem(
        ",'allow_any_host':true,'serial_number':'SN-1','model_number':'Holdfast',"
            + "'min_cntlid':1000,'max_cntlid':1999");
    listen("a", "v", "");
    RemoteController controller = host("v");
    assertThat(controller.identity().nqn()).isEqualTo("nqn.2026-11.x:v");
    assertThat(controller.identity().serialNumber()).isEqualTo("SN-1");
    assertThat(controller.identity().modelNumber()).isEqualTo("Holdfast");
    assertThat(controller.identity().controller()).isBetween(1_000, 1_999);
    assertThat(controller.identity().anaReporting()).isFalse();
    assertThat(controller.namespaces()).containsExactly(7);
    assertThat(controller.uuid(7))
        .isEqualTo(UUID.fromString("6a0f2f60-2d7a-4d9c-8f35-0a1b2c3d4e5f"));
    assertThat(controller.device(7).nguid()).isEqualTo("00112233445566778899AABBCCDDEEFF");
    assertThat(controller.device(7).blockSize()).isEqualTo(BLOCK);
    assertThat(catchThrowableOfType(StorageException.class, () -> controller.device(8)).code())
        .isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  final void onlyAdmittedHostsConnectAndARejectedOneLosesItsConnection() throws Exception {
    subsystem("");
    listen("a", "v", "");
    assertRefusedHost("v", ErrorCode.FORBIDDEN);
    addHost(HOST, "");
    RemoteController controller = host("v");
    controller.check();
    call(
        "a", "nvmf_subsystem_remove_host", "{'nqn':'nqn.2026-11.x:v','host':'%s'}".formatted(HOST));
    eventually("end of the connection", () -> isLost(controller));
    assertRefusedHost("v", ErrorCode.FORBIDDEN);
  }

  private static boolean isLost(RemoteController controller) {
    try {
      controller.check();
      return false;
    } catch (StorageException e) {
      return e.code() == ErrorCode.UNREACHABLE;
    }
  }

  @Test
  final void deletedSubsystemEndsItsConnectionsBeforeTheAnswer() throws Exception {
    subsystem(",'allow_any_host':true");
    listen("a", "v", "");
    RemoteController controller = host("v");
    call("a", "nvmf_delete_subsystem", "{'nqn':'nqn.2026-11.x:v'}");
    assertThat(isLost(controller)).isTrue();
  }

  @Test
  final void subsystemIsNotServedAtTheAddressOfAnother() throws Exception {
    subsystem(",'allow_any_host':true");
    lvol("a", "w");
    export("a", "a/w", "w");
    assertRefusedHost("v", ErrorCode.UNREACHABLE);
    listen("a", "v", "");
    host("v").check();
  }

  // --- keys -------------------------------------------------------------------------------

  /** Makes a key file of the given form and returns its name in both keyrings. */
  private String key(String name, String form, int seed) throws Exception {
    byte[] secret = random(32, seed);
    CRC32 sum = new CRC32();
    sum.update(secret);
    byte[] whole =
        ByteBuffer.allocate(36)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(secret)
            .putInt((int) sum.getValue())
            .array();
    Files.writeString(file(name), form + Base64.getEncoder().encodeToString(whole) + ":");
    Files.setPosixFilePermissions(file(name), PosixFilePermissions.fromString("rw-------"));
    for (String target : new String[] {"a", "b"}) {
      call(target, "keyring_file_add_key", "{'name':'%s','path':'%s'}".formatted(name, file(name)));
    }
    return name;
  }

  private void assertAttachRefused(String keys) throws Exception {
    assertRefused(
        "b",
        "bdev_nvme_attach_controller",
        attachment("remote", "v", ",'hostnqn':'%s'%s".formatted(PEER, keys)),
        -5);
  }

  private void assertAttached(String keys) throws Exception {
    assertThat(attach("b", "remote", "v", ",'hostnqn':'%s'%s".formatted(PEER, keys)).toString())
        .isEqualTo("[\"remoten7\"]");
    call("b", "bdev_nvme_detach_controller", "{'name':'remote'}");
  }

  @Test
  final void dhChapHostNeedsItsKeyAndMayAskForTheControllersKey() throws Exception {
    String right = key("right", "DHHC-1:00:", 1);
    String wrong = key("wrong", "DHHC-1:00:", 2);
    String own = key("own", "DHHC-1:00:", 3);
    subsystem("");
    listen("a", "v", "");
    addHost(PEER, ",'dhchap_key':'%s','dhchap_ctrlr_key':'%s'".formatted(right, own));
    assertAttachRefused("");
    assertAttachRefused(",'dhchap_key':'%s'".formatted(wrong));
    assertAttached(",'dhchap_key':'%s'".formatted(right));
    assertAttached(",'dhchap_key':'%s','dhchap_ctrlr_key':'%s'".formatted(right, own));
    assertAttachRefused(",'dhchap_key':'%s','dhchap_ctrlr_key':'%s'".formatted(right, wrong));
    call(
        "a",
        "nvmf_subsystem_set_keys",
        "{'nqn':'nqn.2026-11.x:v','host':'%s','dhchap_key':'%s'}".formatted(PEER, wrong));
    assertAttachRefused(",'dhchap_key':'%s'".formatted(right));
    assertAttached(",'dhchap_key':'%s'".formatted(wrong));
  }

  @Test
  final void secureListenerNeedsThePresharedKey() throws Exception {
    String right = key("right", "NVMeTLSkey-1:01:", 1);
    String wrong = key("wrong", "NVMeTLSkey-1:01:", 2);
    subsystem("");
    listen("a", "v", ",'secure_channel':true");
    addHost(PEER, ",'psk':'%s'".formatted(right));
    assertAttachRefused("");
    assertAttachRefused(",'psk':'%s'".formatted(wrong));
    assertAttached(",'psk':'%s'".formatted(right));
  }
}
