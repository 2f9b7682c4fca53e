package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import java.nio.ByteBuffer;

/**
 * Counts the requests that pass, by kind. Costs a request one compare-and-set and allocates no
 * memory. A {@link GatedDevice} counts too: behind a gate this filter is not needed.
 */
public final class MeteredDevice extends ForwardingBlockDevice {
  private final TicketPool tickets = new TicketPool(() -> 0, Completion::completed);

  /**
   * Creates a filter.
   *
   * @param below the device to forward to, not null; closed with this one
   */
  public MeteredDevice(BlockDevice below) {
    super(below);
  }

  /** Returns the statistics of the requests that passed, never null. */
  public IoStatistics statistics() {
    return tickets.statistics();
  }

  private Ticket begin(IoKind kind, long length, Completion completion) {
    Ticket ticket = tickets.take();
    ticket.begin(completion, kind, length, 0);
    return ticket;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    below().read(offset, target, begin(IoKind.READ, target.remaining(), completion));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    below().write(offset, source, flags, begin(IoKind.WRITE, source.remaining(), completion));
  }

  @Override
  public void flush(Completion completion) {
    below().flush(begin(IoKind.FLUSH, 0, completion));
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    below().trim(offset, length, flags, begin(IoKind.TRIM, length, completion));
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    below().writeZeroes(offset, length, flags, begin(IoKind.WRITE_ZEROES, length, completion));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    below().extents(offset, length, visitor, begin(IoKind.EXTENTS, length, completion));
  }
}
