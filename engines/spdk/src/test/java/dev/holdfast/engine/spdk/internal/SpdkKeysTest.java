package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportKey;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportSecurity;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.engine.spdk.internal.calls.SpdkKeyring;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hosts with keys. The host is another target, which connects to the export of the first target.
 */
class SpdkKeysTest {
  private static final String HOST = "nqn.2026-11.dev.holdfast:host-b";
  private static final long SIZE = 16L << 20;
  private static final ExportSecurity AUTHENTICATED = new ExportSecurity(false, true);
  private static final ExportSecurity ENCRYPTED = new ExportSecurity(true, false);

  @TempDir private Path folder;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private SpdkLab lab;
  private SpdkEngine engine;
  private SpdkVolume volume;
  private TestTarget process;
  private SpdkTarget host;

  /** Creates the lab of a test. */
  SpdkLab lab() {
    return new SpdkLab();
  }

  @BeforeEach
  void open() throws Exception {
    lab = lab();
    engine = lab.start();
    Path socket = folder.resolve("host");
    process = lab.started(socket);
    host = new SpdkTarget(socket);
    var unused = engine.prepareDisk(lab.disk(folder, 1));
    engine.provisionReplica(request().replicas().get(0), SIZE);
    volume = (SpdkVolume) engine.open(request());
  }

  private OpenRequest request() throws Exception {
    ReplicaLocation replica =
        new ReplicaLocation("vol", "vol-r-1", lab.disk(folder, 1), "vol-1", false);
    return new OpenRequest("vol", SIZE, "node-1", List.of(replica), register, listener);
  }

  @AfterEach
  void stop() throws Exception {
    volume.close();
    host.close();
    process.close();
    lab.stop(engine);
  }

  /** Returns a key of 32 bytes. */
  private static String key(String form, int seed) {
    byte[] secret = new byte[32];
    new Random(seed).nextBytes(secret);
    CRC32 sum = new CRC32();
    sum.update(secret);
    byte[] whole =
        ByteBuffer.allocate(36)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(secret)
            .putInt((int) sum.getValue())
            .array();
    return form + Base64.getEncoder().encodeToString(whole) + ":";
  }

  private static String dh(int seed) {
    return key("DHHC-1:00:", seed);
  }

  private static String tls(int seed) {
    return key("NVMeTLSkey-1:01:", seed);
  }

  private static Optional<ExportKey> of(String secret) {
    return Optional.of(secret).filter(text -> !text.isEmpty()).map(ExportKey::new);
  }

  private NativeExport export(ExportSecurity security, String own, String controller, String psk)
      throws StorageException {
    ExportRequest plain = lab.request("nvmeof", "vol");
    return volume.export(
        new ExportRequest(
            plain.protocol(),
            plain.export(),
            List.of(new ExportHost(HOST, of(own), of(controller), of(psk))),
            security,
            ExportLimits.NONE,
            PathAccess.OPTIMIZED,
            plain.pathId()));
  }

  private void attach(URI endpoint, Map<String, String> keys) throws Exception {
    ObjectNode params =
        SpdkTarget.params()
            .put("name", "remote")
            .put("trtype", "TCP")
            .put("adrfam", "IPv4")
            .put("traddr", endpoint.getHost())
            .put("trsvcid", String.valueOf(endpoint.getPort()))
            .put("subnqn", endpoint.getPath().substring(1))
            .put("hostnqn", HOST)
            .put("fabrics_connect_timeout_us", 2_000_000);
    for (Map.Entry<String, String> each : keys.entrySet()) {
      Path file = folder.resolve(each.getKey());
      Files.deleteIfExists(file);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, each.getValue());
      if (new SpdkKeyring(host).names().contains(each.getKey())) {
        new SpdkKeyring(host).remove(each.getKey());
      }
      new SpdkKeyring(host).add(each.getKey(), file);
      params.put(each.getKey(), each.getKey());
    }
    host.run("bdev_nvme_attach_controller", params);
  }

  private void detach() throws StorageException {
    host.run("bdev_nvme_detach_controller", SpdkTarget.params().put("name", "remote"));
  }

  private void assertAttached(URI endpoint, Map<String, String> keys) throws Exception {
    attach(endpoint, keys);
    detach();
  }

  private void assertRefused(URI endpoint, Map<String, String> keys) {
    assertThatThrownBy(() -> attach(endpoint, keys)).isInstanceOf(StorageException.class);
  }

  private void assertStillAttached() throws StorageException {
    assertThat(host.call("bdev_get_bdevs", SpdkTarget.params().put("name", "remoten1"))).hasSize(1);
  }

  @Test
  void hostAuthenticatesAndMayAskForTheKeyOfTheController() throws Exception {
    URI endpoint = export(AUTHENTICATED, dh(1), dh(2), "").endpoints().get(0);
    assertRefused(endpoint, Map.of());
    assertRefused(endpoint, Map.of("dhchap_key", dh(3)));
    assertAttached(endpoint, Map.of("dhchap_key", dh(1)));
    assertAttached(endpoint, Map.of("dhchap_key", dh(1), "dhchap_ctrlr_key", dh(2)));
    assertRefused(endpoint, Map.of("dhchap_key", dh(1), "dhchap_ctrlr_key", dh(3)));
  }

  @Test
  void keyIsChangedWhileTheHostIsConnected() throws Exception {
    URI endpoint = export(AUTHENTICATED, dh(1), "", "").endpoints().get(0);
    attach(endpoint, Map.of("dhchap_key", dh(1)));
    var unused = export(AUTHENTICATED, dh(4), "", "");
    assertStillAttached();
    detach();
    assertRefused(endpoint, Map.of("dhchap_key", dh(1)));
    assertAttached(endpoint, Map.of("dhchap_key", dh(4)));
  }

  @Test
  void encryptedExportNeedsThePresharedKey() throws Exception {
    URI endpoint = export(ENCRYPTED, "", "", tls(1)).endpoints().get(0);
    assertRefused(endpoint, Map.of());
    assertRefused(endpoint, Map.of("psk", tls(2)));
    assertAttached(endpoint, Map.of("psk", tls(1)));
    var unused = export(ExportSecurity.NONE, "", "", "");
    assertAttached(endpoint, Map.of());
  }

  @Test
  void keysAreRestoredWithTheTargetAndRemovedWithTheExport() throws Exception {
    NativeExport export = export(AUTHENTICATED, dh(1), "", "");
    lab.killTarget();
    lab.startTarget();
    listener.awaitExportChange();
    assertRefused(export.endpoints().get(0), Map.of());
    assertAttached(export.endpoints().get(0), Map.of("dhchap_key", dh(1)));
    export.close();
    try (SpdkTarget target = new SpdkTarget(lab.socket())) {
      assertThat(new SpdkKeyring(target).names()).isEmpty();
    }
    assertThat(lab.keys()).isEmptyDirectory();
  }

  @Test
  void adoptedExportKeepsItsKeys() throws Exception {
    URI endpoint = export(AUTHENTICATED, dh(1), "", "").endpoints().get(0);
    lab.kill(engine);
    engine = lab.start();
    volume = (SpdkVolume) engine.adopt(request());
    assertRefused(endpoint, Map.of());
    var unused = export(AUTHENTICATED, dh(1), "", "");
    assertRefused(endpoint, Map.of("dhchap_key", dh(2)));
    assertAttached(endpoint, Map.of("dhchap_key", dh(1)));
  }

  @Test
  void requirementWithoutAKeyIsRefused() {
    StorageException missing =
        catchThrowableOfType(StorageException.class, () -> export(AUTHENTICATED, "", "", ""));
    assertThat(missing.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(missing).hasMessageContaining("host " + HOST + ": has no key");
    assertThatThrownBy(() -> export(ENCRYPTED, "", "", ""))
        .hasMessageContaining("has no pre-shared key");
    assertThatThrownBy(() -> export(ExportSecurity.NONE, "", dh(1), ""))
        .hasMessageContaining("of the controller only");
    assertThatThrownBy(() -> export(ExportSecurity.NONE, "", "", tls(1)))
        .hasMessageContaining("require TLS");
  }
}
