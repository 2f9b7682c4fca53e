package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A volume that the process of its machine exports, and its device. */
final class LastingVolume implements ExportingVolume, HandoverVolume, BlockDevice {
  private final LastingMachine machine;
  final EngineListener listener;
  private final Map<String, Export> exports = new HashMap<>();
  private boolean ended;

  LastingVolume(LastingMachine machine, EngineListener listener) {
    this.machine = machine;
    this.listener = listener;
  }

  void end() {
    ended = true;
  }

  @Override
  public BlockDevice device() {
    return this;
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of("vol-r-1", MemberMode.RW);
  }

  @Override
  public Set<String> protocols() {
    return machine.protocols;
  }

  @Override
  public NativeExport export(ExportRequest request) throws StorageException {
    if (!machine.protocols.contains(request.protocol())) {
      throw new StorageException(ErrorCode.UNSUPPORTED, request.protocol() + " is not known");
    }
    machine.requireLimits(request.limits());
    machine.requireAccess(request.access());
    machine.exports.computeIfAbsent(request.protocol(), protocol -> new LastingMachine.Shown())
            .request =
        request;
    return exports.computeIfAbsent(request.protocol(), Export::new);
  }

  @Override
  public Handover handOver(boolean lasting) {
    ended = true;
    machine.open = Optional.empty();
    return new Handover(1, 1, new byte[0], Map.of());
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      machine.open = Optional.empty();
      if (!machine.hangsOnWithdrawal) {
        machine.exports.clear();
      }
    }
  }

  /** An export of this opening. */
  private final class Export implements NativeExport {
    private final String protocol;

    Export(String protocol) {
      this.protocol = protocol;
    }

    private LastingMachine.Shown shown() throws StorageException {
      LastingMachine.Shown shown = machine.exports.get(protocol);
      if (ended || shown == null) {
        throw new StorageException(ErrorCode.IO, "the export has ended");
      }
      return shown;
    }

    @Override
    public List<URI> endpoints() {
      return List.of(URI.create(protocol + "://outside/vol"));
    }

    @Override
    public ExportHold hold(Duration drain) throws StorageException {
      LastingMachine.Shown shown = shown();
      if (shown.held) {
        throw new StorageException(ErrorCode.BUSY, "the export is held");
      }
      shown.held = true;
      return () -> shown.held = false;
    }

    @Override
    public void limit(ExportLimits limits) throws StorageException {
      LastingMachine.Shown shown = shown();
      if (shown.held) {
        throw new StorageException(ErrorCode.BUSY, "the export is held");
      }
      machine.requireLimits(limits);
      shown.request = shown.request.withLimits(limits);
    }

    @Override
    public void access(PathAccess access) throws StorageException {
      LastingMachine.Shown shown = shown();
      machine.requireAccess(access);
      shown.request = shown.request.withAccess(access);
    }

    @Override
    public Optional<ExportStatistics> statistics() throws StorageException {
      ExportStatistics.Count none = new ExportStatistics.Count(0, 0, 0);
      ExportStatistics.Count writes = new ExportStatistics.Count(shown().requests, 0, 0);
      return Optional.of(new ExportStatistics(none, writes, none, none, none, 0));
    }

    @Override
    public void close() throws StorageException {
      machine.withdraw(protocol);
      exports.remove(protocol);
    }
  }

  @Override
  public long size() {
    return machine.bytes.length;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  private void run(long offset, long length, Completion completion, Runnable action) {
    if (BlockRanges.inside(offset, length, size(), completion)) {
      if (!ended) {
        action.run();
      }
      completion.completed(ended ? new StorageException(ErrorCode.IO, "vol is closed") : null);
    }
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    int length = target.remaining();
    run(offset, length, completion, () -> target.put(machine.bytes, (int) offset, length));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    int length = source.remaining();
    run(offset, length, completion, () -> source.get(machine.bytes, (int) offset, length));
  }

  @Override
  public void flush(Completion completion) {
    run(0, 0, completion, () -> {});
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    int end = (int) (offset + length);
    run(offset, length, completion, () -> Arrays.fill(machine.bytes, (int) offset, end, (byte) 0));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    run(offset, length, completion, () -> visitor.extent(offset, length, ExtentKind.DATA));
  }
}
