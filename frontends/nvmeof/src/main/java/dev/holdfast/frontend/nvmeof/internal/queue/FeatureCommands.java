package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.controller.Features;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.reserve.HostReservations;
import dev.holdfast.frontend.nvmeof.internal.wire.AdminResult;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.reservation.Reservations;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Get Features and Set Features. */
final class FeatureCommands {
  private static final int SAVE = 1 << 31;
  private static final int CURRENT = 0;
  private static final int DEFAULT = 1;
  private static final int SAVED = 2;
  private static final int CAPABILITIES = 3;
  private static final int CHANGEABLE = 1 << 2;
  private static final int OF_NAMESPACE = 1 << 1;
  private static final int LONG_HOST_ID = 1;
  private static final int BEHAVIOUR_BYTES = 512;

  private final NvmeController controller;
  private final Optional<HostReservations> reservations;

  /**
   * Creates the commands.
   *
   * @param reservations reservations of the host, empty for discovery
   */
  FeatureCommands(NvmeController controller, Optional<HostReservations> reservations) {
    this.controller = controller;
    this.reservations = reservations;
  }

  AdminResult get(Command command) throws RefusedException {
    int feature = known(command);
    return switch (command.cdw10() >> 8 & 7) {
      case CURRENT -> current(feature, command);
      case DEFAULT, SAVED -> AdminResult.of(standard(feature));
      case CAPABILITIES -> AdminResult.of(capabilities(feature));
      default ->
          throw new RefusedException(Status.INVALID_FIELD, "the kind of value is not supported");
    };
  }

  private AdminResult current(int feature, Command command) throws RefusedException {
    return switch (feature) {
      case Features.HOST_ID -> hostId(command);
      case Features.HOST_BEHAVIOUR -> {
        byte[] page = new byte[BEHAVIOUR_BYTES];
        page[0] = (byte) controller.feature(feature);
        yield AdminResult.of(page);
      }
      case Features.RESERVATION_PERSISTENCE -> AdminResult.of(persistence());
      default -> AdminResult.of(controller.feature(feature) & 0xffffffffL);
    };
  }

  private AdminResult hostId(Command command) throws RefusedException {
    if ((command.cdw11() & LONG_HOST_ID) == 0) {
      throw new RefusedException(Status.INVALID_FIELD, "host identifiers have 128 bits here");
    }
    ByteBuffer id = ByteBuffer.allocate(2 * Long.BYTES);
    id.putLong(controller.host().getMostSignificantBits());
    id.putLong(controller.host().getLeastSignificantBits());
    return AdminResult.of(id.array());
  }

  private long persistence() {
    return reservations.filter(all -> all.present().durable()).isPresent() ? 1 : 0;
  }

  private static long standard(int feature) {
    return Features.standard(feature) & 0xffffffffL;
  }

  private static long capabilities(int feature) {
    return (Features.changeable(feature) ? CHANGEABLE : 0)
        | (feature == Features.RESERVATION_NOTICES || feature == Features.RESERVATION_PERSISTENCE
            ? OF_NAMESPACE
            : 0);
  }

  AdminResult set(Command command, CommandData data) throws RefusedException {
    int feature = known(command);
    if ((command.cdw10() & SAVE) != 0) {
      throw new RefusedException(
          Status.NOT_SAVEABLE, "a feature cannot be saved beyond the life of its controller");
    }
    if (!Features.changeable(feature)) {
      throw new RefusedException(Status.NOT_CHANGEABLE, "feature " + feature + " is fixed");
    }
    if (feature == Features.RESERVATION_PERSISTENCE) {
      boolean durable = (command.cdw11() & 1) != 0;
      reservations
          .orElseThrow()
          .change(
              present ->
                  new Reservations(
                      present.generation(),
                      durable,
                      present.registrations(),
                      present.holding(),
                      present.lastNotice(),
                      present.notices()));
      return AdminResult.DONE;
    }
    int value = command.cdw11();
    if (feature == Features.HOST_BEHAVIOUR) {
      if (data.length() != BEHAVIOUR_BYTES) {
        throw new RefusedException(Status.DATA_LENGTH_INVALID, "the host behavior has 512 bytes");
      }
      value = data.bytes()[0] & 1;
    }
    return AdminResult.of(controller.feature(feature, value) & 0xffffffffL);
  }

  private int known(Command command) throws RefusedException {
    int feature = command.cdw10() & 0xff;
    boolean here =
        controller.id().discovery()
            ? feature == Features.EVENTS || feature == Features.KEEP_ALIVE
            : Features.known(feature);
    if (!here) {
      throw new RefusedException(Status.INVALID_FIELD, "no feature " + feature);
    }
    return feature;
  }
}
