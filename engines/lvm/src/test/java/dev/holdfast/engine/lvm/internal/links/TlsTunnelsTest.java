package dev.holdfast.engine.lvm.internal.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nbd.internal.ReplicaFrontend;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports of two nodes by the portal with TLS, and NBD clients without TLS. */
class TlsTunnelsTest {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");
  private static final long SIZE = 8 << 20;

  // fcntl.h of Linux on x86-64
  private static final int O_ACCMODE = 3;
  private static final int O_RDONLY = 0;
  private static final int O_DSYNC = 010000;
  private static final int O_DIRECT = 040000;

  @TempDir private Path folder;
  private Path device;
  private SocketPortal portal;
  private PortalExports exports;
  private PeerChannels channels;
  private TlsTunnels tunnels;

  @BeforeEach
  void start() throws Exception {
    NodeTls near = TlsDirectory.prepare(folder.resolve("1"), "node-1", NAMES, Clock.systemUTC());
    NodeAuthority authority = TlsDirectory.authority(folder.resolve("1"), Clock.systemUTC());
    String request = TlsDirectory.request(folder.resolve("2"), "node-2", NAMES);
    TlsDirectory.accept(
        folder.resolve("2"),
        authority.certificate(),
        authority.sign(TlsDirectory.parseRequest(request)));
    Map<String, String> settings =
        Map.of("holdfast.replica.port", "0", "holdfast.replica.tls", "require");
    portal = new SocketPortal(new PortalSettings(name -> Optional.ofNullable(settings.get(name))));
    portal.arrived(TlsDirectory.prepare(folder.resolve("2"), "node-2", NAMES, Clock.systemUTC()));
    portal.arrived(new ReplicaFrontend());
    device = folder.resolve("device");
    grow(SIZE);
    exports = exporter();
    channels = new PeerChannels(new NoPeers(), near);
    tunnels = new TlsTunnels(channels::sslContext, folder.resolve("s"));
  }

  /** The tunnels get their addresses from the caller. */
  private static final class NoPeers implements PeerNodes {
    @Override
    public String self() {
      return "node-1";
    }

    @Override
    public InetSocketAddress address(String node, String service) throws StorageException {
      throw new StorageException(ErrorCode.UNREACHABLE, node);
    }
  }

  private PortalExports exporter() {
    PortalExports exporter =
        new PortalExports(
            "replica", "node-2", new LocalHost(), DirectFile::open, folder.resolve("locks"));
    exporter.arrived(portal);
    return exporter;
  }

  private void grow(long bytes) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  @AfterEach
  void stop() throws Exception {
    tunnels.close();
    channels.close();
    portal.close();
  }

  private String uri(PoolAddress address) throws StorageException {
    String name = "t@" + address.generation();
    return "nbd+unix:///" + name + "?socket=" + tunnels.open(address).host();
  }

  private static ProgramResult run(String program, String debianPackage, String... arguments)
      throws StorageException {
    LocalHost host = new LocalHost();
    List<String> command = new ArrayList<>();
    command.add(host.require(program, debianPackage));
    command.addAll(List.of(arguments));
    return host.run(ProgramCall.of(Duration.ofMinutes(1), command));
  }

  private ProgramResult size(PoolAddress address) throws StorageException {
    return run("nbdinfo", "libnbd-bin", "--size", uri(address));
  }

  @Test
  void clientWithoutTlsReachesAnExportThatRequiresIt() throws Exception {
    try (PoolExport export = exports.export(device, "t", 1)) {
      assertThat(size(export.address()).output()).isEqualTo(Long.toString(SIZE));
      ProgramResult written =
          run(
              "fio",
              "fio",
              "--name=x",
              "--ioengine=nbd",
              "--uri=" + uri(export.address()),
              "--rw=randwrite",
              "--bsrange=512-64k",
              "--iodepth=8",
              "--size=4M",
              "--verify=crc32c",
              "--verify_state_save=0",
              "--end_fsync=1");
      assertThat(written.exitCode()).as(written.all()).isZero();
    }
  }

  /** Returns the flags with which this process has the device open, according to the kernel. */
  private List<Integer> openFlags() throws IOException {
    List<Integer> flags = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        if (Files.isSameFile(file, device)) {
          Path info = Path.of("/proc/self/fdinfo", file.getFileName().toString());
          String line =
              Files.readAllLines(info).stream()
                  .filter(text -> text.startsWith("flags:"))
                  .findFirst()
                  .orElseThrow();
          flags.add(Integer.parseInt(line.substring("flags:".length()).strip(), 8));
        }
      }
    }
    return flags;
  }

  /** A client that continues on another node flushes there the writes that were completed here. */
  @Test
  void completedWriteOfAnExportIsOnTheDisk() throws Exception {
    try (PoolExport export = exports.export(device, "t", 1)) {
      assertThat(export.address().generation()).isEqualTo(1);
      assertThat(openFlags()).isNotEmpty();
      assertThat(openFlags())
          .filteredOn(flags -> (flags & O_ACCMODE) != O_RDONLY && (flags & O_DIRECT) != 0)
          .isNotEmpty()
          .allMatch(flags -> (flags & O_DSYNC) != 0, "O_DSYNC");
    }
  }

  @Test
  void serverWithTheCertificateOfAnotherNodeIsRefused() throws Exception {
    try (PoolExport export = exports.export(device, "t", 1)) {
      PoolAddress address = export.address();
      PoolAddress wrong = new PoolAddress("node-3", address.host(), address.port(), 1);
      assertThat(size(wrong).exitCode()).isNotZero();
      assertThat(size(address).exitCode()).isZero();
    }
  }

  @Test
  void laterGenerationReplacesAnEarlierOne() throws Exception {
    PoolExport first = exports.export(device, "t", 1);
    PoolAddress old = first.address();
    grow(2 * SIZE);
    assertThat(exports.export(device, "t", 1)).isSameAs(first);
    assertThat(size(old).output()).isEqualTo(Long.toString(2 * SIZE));

    PoolExport second = exports.export(device, "t", 2);
    assertThat(size(old).exitCode()).isNotZero();
    assertThat(size(second.address()).exitCode()).isZero();
    assertThatThrownBy(() -> exports.export(device, "t", 1))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));

    first.close();
    assertThat(size(second.address()).exitCode()).isZero();
    second.close();
    assertThat(size(second.address()).exitCode()).isNotZero();
  }

  @Test
  void exportIsServedAgainByTheNextPortal() throws Exception {
    PoolExport export = exports.export(device, "t", 1);
    exports.left(portal);
    assertThat(size(export.address()).exitCode()).isNotZero();
    assertThatThrownBy(() -> exports.export(device, "u", 1))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));

    exports.arrived(portal);
    assertThat(exports.export(device, "t", 1)).isSameAs(export);
    assertThat(size(export.address()).output()).isEqualTo(Long.toString(SIZE));
    exports.close();
    assertThat(size(export.address()).exitCode()).isNotZero();
  }

  @Test
  void secondExporterWaitsUntilTheFirstHasEnded() throws Exception {
    PoolExport export = exports.export(device, "t", 1);
    assertThatThrownBy(() -> exporter().export(device, "t", 2))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    export.close();
    exporter().export(device, "t", 2).close();
  }

  @Test
  void nameOrGenerationThatIsNotPermittedIsNamed() {
    assertThatThrownBy(() -> exports.export(device, "T@1", 1))
        .hasMessageContaining("export name \"T@1\"");
    assertThatThrownBy(() -> exports.export(device, "t", 0))
        .hasMessageContaining("generation 0: must be positive");
  }
}
