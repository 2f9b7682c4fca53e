package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.internal.device.AlignedBuffers;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.device.RawDevice.Access;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.vm.testkit.RecordingHost;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A lab on this virtual machine, with a volume group on its first disk. */
final class RealLab implements CrashLab {
  static final String GROUP = "vg0";

  private final RecordingHost host = new RecordingHost(new LocalHost());
  private final MemoryRecords records = new MemoryRecords();
  private final Path folder;

  /** Creates the group again, with extents of some bytes. */
  RealLab(long extent) {
    try {
      folder = Files.createTempDirectory("lvm");
      String unused =
          shell(
              "dmsetup remove_all --force >/dev/null; rm -rf /dev/vg0; vgremove --force --yes vg0 2>/dev/null;"
                  + " wipefs -aq /dev/vda; vgcreate --physicalextentsize "
                  + extent
                  + "b vg0 /dev/vda 2>&1");
    } catch (IOException | StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  static String shell(String script) throws StorageException {
    return new LocalHost()
        .check(ProgramCall.of(Duration.ofMinutes(2), List.of("/bin/sh", "-c", script)));
  }

  @Override
  public LvmEngine start() {
    return new LvmEngine(
        new LvmContext(
            new GroupReports(host, System::nanoTime, Duration.ZERO),
            records,
            folder,
            DirectFile::open,
            NoSharing.of(host, folder)),
        Duration.ofHours(1));
  }

  @Override
  public RecordingHost host() {
    return host;
  }

  @Override
  public MemoryRecords records() {
    return records;
  }

  @Override
  public List<String> leftovers() throws StorageException {
    return shell("lvs --noheadings -o lv_name " + GROUP + "; dmsetup ls")
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.equals("No devices found"))
        .toList();
  }

  @Override
  public void stop(EngineProvider engine) {
    ((LvmEngine) engine).deactivate();
  }

  @Override
  public void kill(EngineProvider engine) {
    ((LvmEngine) engine).abandon();
  }

  @Override
  public DiskLocation disk(Path tests, int number) {
    return new DiskLocation("node-1", "", DiskKind.VOLUME_GROUP, Path.of("/dev", GROUP));
  }

  @Override
  public HostConnection connect(URI endpoint) throws IOException {
    Path path = Path.of(endpoint.getSchemeSpecificPart());
    try {
      long size = new LocalHost().files().size(path);
      return new DeviceUser(
          new AlignedDevice(
              "host", DirectFile.open(path, Access.WRITE), size, true, new AlignedBuffers()));
    } catch (StorageException e) {
      throw new IOException(e);
    }
  }

  /** A program of the host that has a device open. */
  private record DeviceUser(AlignedDevice device) implements HostConnection {
    @Override
    public long size() {
      return device.size();
    }

    private interface Request {
      byte[] run(DeviceIo io) throws StorageException;
    }

    private byte[] request(Request request) throws IOException {
      try {
        return request.run(new DeviceIo(device));
      } catch (StorageException e) {
        throw new IOException(e);
      }
    }

    @Override
    public byte[] read(long offset, int length) throws IOException {
      return request(io -> io.read(offset, length));
    }

    @Override
    public void write(long offset, byte[] content) throws IOException {
      byte[] unused =
          request(
              io -> {
                io.write(offset, content);
                return content;
              });
    }

    @Override
    public void flush() throws IOException {
      byte[] unused =
          request(
              io -> {
                io.flush();
                return new byte[0];
              });
    }

    @Override
    public void close() {
      device.close();
    }
  }
}
