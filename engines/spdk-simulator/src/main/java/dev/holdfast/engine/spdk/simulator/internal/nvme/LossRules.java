package dev.holdfast.engine.spdk.simulator.internal.nvme;

import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;

/**
 * Time limits of a lost connection, in seconds.
 *
 * @param loss after which the controller is removed; -1 never, 0 at once
 * @param delay between attempts to connect
 * @param fastFail after which I/O fails; 0 never
 */
public record LossRules(long loss, long delay, long fastFail) {
  /** Refuses the combinations that SPDK refuses. */
  public void check() throws ErrnoException {
    boolean orderly = loss == 0 ? (delay == 0 && fastFail == 0) : delay > 0;
    boolean limited = loss <= 0 || (delay <= loss && fastFail <= loss);
    boolean fast = fastFail == 0 || delay <= fastFail;
    if (loss < -1 || !orderly || !limited || !fast) {
      throw new ErrnoException(Errno.EINVAL);
    }
  }

  /**
   * Returns whether I/O waits for a lost peer. The simulator has no clock: where SPDK would wait
   * for a limited time, I/O fails at once, which is the worst that may happen.
   */
  boolean waits() {
    return loss == -1 && fastFail == 0;
  }
}
