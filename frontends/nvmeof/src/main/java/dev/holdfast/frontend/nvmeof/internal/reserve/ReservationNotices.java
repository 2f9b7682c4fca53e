package dev.holdfast.frontend.nvmeof.internal.reserve;

import dev.holdfast.frontend.nvmeof.internal.controller.Events.Event;
import dev.holdfast.frontend.nvmeof.internal.controller.Features;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.page.NamespacePage;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import dev.holdfast.reservation.ReservationNotice;
import java.nio.ByteBuffer;
import java.util.List;

/** Changes of a host's reservations by other hosts that the host has not read yet. */
public final class ReservationNotices {
  private static final int SIZE = 64;
  private static final int MOST_TOLD = 255;

  private final HostReservations reservations;
  private final NvmeController controller;
  private long read;
  private long told;

  /**
   * Starts after the notices that were reported.
   *
   * @param read number of the last notice that the host has read
   */
  public ReservationNotices(HostReservations reservations, NvmeController controller, long read) {
    this.reservations = reservations;
    this.controller = controller;
    this.read = read;
    this.told = read;
  }

  public synchronized long read() {
    return read;
  }

  /** Reports new notices to the host. */
  public synchronized void check() {
    List<ReservationNotice> unread = unread();
    if (!unread.isEmpty()) {
      long newest = unread.get(unread.size() - 1).number();
      if (newest > told) {
        told = newest;
        controller.happened(Event.RESERVATION);
      }
    }
  }

  /** Returns the log page of the oldest notice, or an empty one. */
  public synchronized byte[] next(boolean keep) {
    List<ReservationNotice> unread = unread();
    ByteBuffer page = ByteBuffer.allocate(SIZE);
    if (!unread.isEmpty()) {
      ReservationNotice oldest = unread.get(0);
      Le.put64(page, 0, oldest.number());
      Le.put8(page, 8, type(oldest.kind()));
      Le.put8(page, 9, Math.min(MOST_TOLD, unread.size() - 1));
      Le.put32(page, 12, NamespacePage.NAMESPACE);
      if (!keep) {
        read = oldest.number();
        // The other notices are reported again.
        told = read;
      }
    }
    return page.array();
  }

  private List<ReservationNotice> unread() {
    int masked = controller.feature(Features.RESERVATION_NOTICES);
    return reservations.present().noticesFor(reservations.nexus(), read).stream()
        .filter(notice -> (masked >> type(notice.kind()) & 1) == 0)
        .toList();
  }

  private static int type(ReservationNotice.Kind kind) {
    return switch (kind) {
      case REGISTRATION_PREEMPTED -> 1;
      case RESERVATION_RELEASED -> 2;
      case RESERVATION_PREEMPTED -> 3;
    };
  }
}
