package dev.holdfast.nvme.host;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.internal.AlignedIo;
import dev.holdfast.nvme.host.internal.AssociationRequest;
import dev.holdfast.nvme.host.internal.HostAssociation;
import dev.holdfast.nvme.host.internal.NamespaceInfo;
import dev.holdfast.nvme.host.internal.WriteOrder;
import java.nio.ByteBuffer;

/**
 * A namespace of an NVMe/TCP target as a device, with one connection for administration and one for
 * I/O. When a connection ends, or a command is not answered in time, every request fails with
 * UNREACHABLE or TIMEOUT and the device stays dead; the caller must connect again.
 *
 * <p>Requests of any alignment are served. A write of a part of a block first reads the block, and
 * excludes other changes of it until it ends. The target executes flushes: SPDK completes a flush
 * of a logical volume without an effect. Extents are unknown: everything is reported as data.
 *
 * <p>Thread-safe. Completions run on the thread that receives responses.
 */
public final class NvmeDevice implements BlockDevice {
  private final HostAssociation controller;
  private final NamespaceInfo namespace;
  private final AlignedIo io;
  private final WriteOrder order = new WriteOrder();
  private final boolean ownsController;
  private volatile boolean closed;

  /** Creates a device that either owns its controller and closes it, or leaves it to its owner. */
  NvmeDevice(HostAssociation controller, NamespaceInfo namespace, boolean ownsController) {
    this.controller = controller;
    this.ownsController = ownsController;
    this.namespace = namespace;
    this.io = new AlignedIo(controller, namespace);
  }

  /**
   * Connects and identifies the namespace.
   *
   * @param target not null
   * @return the device, never null; the caller closes it
   * @throws StorageException UNREACHABLE when nothing listens, or the connection ends; FORBIDDEN
   *     when the target does not admit this host; NOT_FOUND when it has no such subsystem or
   *     namespace; UNSUPPORTED when the namespace has metadata or blocks of more than 64 KiB;
   *     TIMEOUT; IO
   */
  public static NvmeDevice connect(NvmeTarget target) throws StorageException {
    HostAssociation controller =
        HostAssociation.connect(
            new AssociationRequest(
                target.address(),
                target.subsystem(),
                target.hostName(),
                target.hostId(),
                target.limit()));
    try {
      return new NvmeDevice(controller, controller.identify(target.namespace()), true);
    } catch (StorageException e) {
      controller.close();
      throw e;
    }
  }

  /** Returns the namespace's NGUID as 32 hexadecimal digits, zeroes when it has none. */
  public String nguid() {
    return namespace.nguid();
  }

  @Override
  public long size() {
    return namespace.blocks() * namespace.blockSize();
  }

  @Override
  public int blockSize() {
    return Math.max(namespace.blockSize(), 512);
  }

  /** Returns whether a request must be executed; if not, completes it. */
  private boolean mayRun(long offset, long length, Completion completion) {
    if (closed) {
      completion.completed(
          new StorageException(ErrorCode.IO, controller.name() + ": device is closed"));
      return false;
    }
    if (!BlockRanges.inside(offset, length, size(), completion)) {
      return false;
    }
    if (length == 0) {
      completion.completed(null);
    }
    return length > 0;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (mayRun(offset, target.remaining(), completion)) {
      io.read(offset, target, completion);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    long length = source.remaining();
    if (mayRun(offset, length, completion)) {
      order.run(
          io.down(offset),
          io.up(offset + length),
          !io.isAligned(offset, length),
          completion,
          ended -> io.write(offset, source, isFua(flags), ended));
    }
  }

  private static boolean isFua(int flags) {
    return (flags & IoFlags.FUA) != 0;
  }

  @Override
  public void flush(Completion completion) {
    if (mayRun(0, 1, completion)) {
      io.flush(completion);
    }
  }

  /** Writes zeroes to whole blocks, because a deallocated NVMe block may read as any content. */
  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (mayRun(offset, length, completion)) {
      long start = io.up(offset);
      long end = Math.max(start, io.down(offset + length));
      order.run(
          start, end, false, completion, ended -> io.zero(start, end, true, isFua(flags), ended));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (mayRun(offset, length, completion)) {
      boolean deallocate = (flags & IoFlags.NO_HOLE) == 0;
      order.run(
          io.down(offset),
          io.up(offset + length),
          !io.isAligned(offset, length),
          completion,
          ended -> io.zeroBytes(offset, length, deallocate, isFua(flags), ended));
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (mayRun(offset, length, completion)) {
      boolean unused = visitor.extent(offset, length, ExtentKind.DATA);
      completion.completed(null);
    }
  }

  @Override
  public void close() {
    closed = true;
    if (ownsController) {
      controller.close();
    }
  }
}
