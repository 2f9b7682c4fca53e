package dev.holdfast.engine.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An opening of the toy engine, and its device. */
final class ToyVolume implements ExportingVolume, HandoverVolume, BlockDevice {
  final ToyEngine.Machine machine;
  private final Map<String, ToyExport> exports = new HashMap<>();
  private boolean ended;

  ToyVolume(ToyEngine.Machine machine) {
    this.machine = machine;
  }

  boolean isEnded() {
    return ended;
  }

  void forget() {
    ended = true;
  }

  void forget(String export) {
    exports.remove(export);
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
    return Set.of("nbd");
  }

  @Override
  public NativeExport export(ExportRequest request) throws StorageException {
    if (!request.protocol().equals("nbd") && machine.fault != ToyFault.ANY_PROTOCOL) {
      throw new StorageException(ErrorCode.UNSUPPORTED, request.protocol() + ": only nbd is known");
    }
    if (machine.fault == ToyFault.FORGETS_EXPORT) {
      exports.clear();
    }
    ToyExport export = exports.computeIfAbsent(request.export(), name -> new ToyExport(this, name));
    export.apply(request);
    return export;
  }

  @Override
  public Handover handOver(boolean lasting) {
    ended = true;
    return ToyEngine.handover(machine);
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      machine.open = null;
      if (machine.fault != ToyFault.VOLUME_KEEPS_EXPORT) {
        List.copyOf(exports.keySet()).forEach(machine.process::withdraw);
        machine.process.withdrawAll();
      }
    }
  }

  @Override
  public long size() {
    return machine.process.bytes.length;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  private void run(long offset, long length, Completion completion, Runnable action) {
    if (BlockRanges.inside(offset, length, size(), completion)) {
      if (ended) {
        completion.completed(new StorageException(ErrorCode.IO, "vol is closed"));
        return;
      }
      synchronized (machine.process.bytes) {
        action.run();
      }
      completion.completed(null);
    }
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    int length = target.remaining();
    byte[] bytes = machine.process.bytes;
    run(offset, length, completion, () -> target.put(bytes, (int) offset, length));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    int length = source.remaining();
    byte[] bytes = machine.process.bytes;
    run(offset, length, completion, () -> source.get(bytes, (int) offset, length));
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
    byte[] bytes = machine.process.bytes;
    Runnable clear = () -> Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
    run(offset, length, completion, clear);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    run(offset, length, completion, () -> visitor.extent(offset, length, ExtentKind.DATA));
  }
}
