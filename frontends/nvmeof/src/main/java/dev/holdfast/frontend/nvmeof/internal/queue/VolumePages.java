package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.Events.Event;
import dev.holdfast.frontend.nvmeof.internal.controller.Features;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.controller.VolumePath;
import dev.holdfast.frontend.nvmeof.internal.page.ControllerPage;
import dev.holdfast.frontend.nvmeof.internal.page.LogPages;
import dev.holdfast.frontend.nvmeof.internal.page.NamespacePage;
import dev.holdfast.frontend.nvmeof.internal.reserve.HostReservations;
import dev.holdfast.frontend.nvmeof.internal.reserve.ReservationNotices;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.IoCommand;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Identify and logs of a volume's controller. */
public final class VolumePages implements AdminPages {
  private static final int ALL = 0xffffffff;
  private static final int NVM = 0;
  private static final String NOTICED = "reservation-notice";
  private static final String CHANGES_TOLD = "path-changes";
  private static final int[] ADMIN = {
    AdminQueue.GET_LOG,
    AdminQueue.IDENTIFY,
    AdminQueue.ABORT,
    AdminQueue.SET_FEATURES,
    AdminQueue.GET_FEATURES,
    AdminQueue.EVENT_REQUEST,
    AdminQueue.KEEP_ALIVE
  };
  private static final int[] READING = {
    IoCommand.FLUSH,
    IoCommand.READ,
    IoCommand.COMPARE,
    IoCommand.VERIFY,
    IoCommand.RESERVATION_REGISTER,
    IoCommand.RESERVATION_REPORT,
    IoCommand.RESERVATION_ACQUIRE,
    IoCommand.RESERVATION_RELEASE
  };
  private static final int[] WRITING = {
    IoCommand.WRITE, IoCommand.WRITE_ZEROES, IoCommand.DATASET_MANAGEMENT
  };

  private final NvmeController controller;
  private final Controllers controllers;
  private final NvmeNamespace volume;
  private final HostReservations reservations;
  private final ReservationNotices notices;
  private final VolumePath path;
  private volatile long changesTold;

  private VolumePages(
      NvmeController controller,
      Controllers controllers,
      NvmeNamespace volume,
      HostReservations reservations,
      VolumePath path,
      long read,
      long changesTold) {
    this.controller = controller;
    this.controllers = controllers;
    this.volume = volume;
    this.reservations = reservations;
    this.notices = new ReservationNotices(reservations, controller, read);
    this.path = path;
    this.changesTold = changesTold;
  }

  /** Creates the pages of a new controller, which does not report earlier events. */
  public static VolumePages begin(
      NvmeController controller, Controllers controllers, NvmeNamespace volume) {
    HostReservations reservations = new HostReservations(volume.state(), controller.host());
    long read = reservations.present().lastNotice();
    VolumePath path = new VolumePath(volume.state());
    return new VolumePages(
        controller, controllers, volume, reservations, path, read, path.changes());
  }

  /** Creates the pages of a resumed controller. */
  public static VolumePages resume(
      NvmeController controller, Controllers controllers, NvmeNamespace volume, SessionState state)
      throws StorageException {
    HostReservations reservations = new HostReservations(volume.state(), controller.host());
    VolumePath path = new VolumePath(volume.state());
    return new VolumePages(
        controller,
        controllers,
        volume,
        reservations,
        path,
        state.number(NOTICED, 0),
        state.number(CHANGES_TOLD, path.changes()));
  }

  @Override
  public byte[] identify(Command command) throws RefusedException {
    int structure = command.cdw10() & 0xff;
    return switch (structure) {
      case 0x00, 0x11 -> {
        // The capabilities common to all namespaces (FFFFFFFFh) would need namespace management.
        requireNamespace(command, false);
        yield volume.page().bytes();
      }
      case 0x01 -> page().bytes();
      case 0x02, 0x10 -> list(command);
      case 0x07, 0x1a -> {
        requireNvm(command);
        yield list(command);
      }
      case 0x03 -> {
        requireNamespace(command, false);
        yield volume.page().descriptors();
      }
      case 0x05 -> {
        requireNvm(command);
        requireNamespace(command, true);
        yield new byte[ControllerPage.SIZE];
      }
      case 0x06 -> {
        requireNvm(command);
        yield NamespacePage.commandSetLimits(Limits.TRANSFER_SHIFT);
      }
      case 0x08 -> {
        requireNamespace(command, false);
        yield NamespacePage.independent();
      }
      case 0x12 -> {
        requireNamespace(command, false);
        yield controllers(command);
      }
      case 0x13 -> controllers(command);
      case 0x1c -> NamespacePage.commandSets();
      default -> throw new RefusedException(Status.INVALID_FIELD, "no structure " + structure);
    };
  }

  private ControllerPage page() {
    return new ControllerPage(
        controller.id().number(),
        volume.subsystem(),
        NvmeNames.serial(volume.subsystem()),
        false,
        Limits.TRANSFER_SHIFT,
        Limits.ENTRIES,
        Limits.EVENTS,
        Limits.IN_CAPSULE,
        Limits.FUSED / Limits.BLOCK);
  }

  private static byte[] list(Command command) throws RefusedException {
    if (Integer.compareUnsigned(command.namespace(), 0xfffffffe) >= 0) {
      throw new RefusedException(Status.INVALID_NAMESPACE, "no namespace is above that");
    }
    return NamespacePage.list(command.namespace());
  }

  private byte[] controllers(Command command) {
    int from = command.cdw10() >>> 16;
    List<Integer> numbers =
        controllers.numbers(volume.subsystem()).stream()
            .filter(number -> number >= from)
            .limit(2047)
            .toList();
    return NamespacePage.controllers(numbers);
  }

  private static void requireNvm(Command command) throws RefusedException {
    if (command.cdw11() >>> 24 != NVM) {
      throw new RefusedException(Status.INVALID_FIELD, "only the NVM command set is there");
    }
  }

  private static void requireNamespace(Command command, boolean allowed) throws RefusedException {
    boolean common = allowed && command.namespace() == ALL;
    if (command.namespace() != NamespacePage.NAMESPACE && !common) {
      throw new RefusedException(Status.INVALID_NAMESPACE, "there is namespace 1 only");
    }
  }

  @Override
  public byte[] log(Command command) throws RefusedException {
    int log = AdminPages.logOf(command);
    boolean keep = AdminPages.keepsEvent(command);
    byte[] page =
        switch (log) {
          case LogPages.SUPPORTED ->
              LogPages.supported(
                  LogPages.SUPPORTED,
                  LogPages.ERRORS,
                  LogPages.HEALTH,
                  LogPages.FIRMWARE,
                  LogPages.CHANGED_NAMESPACES,
                  LogPages.EFFECTS,
                  LogPages.ANA,
                  LogPages.FEATURES,
                  LogPages.RESERVATIONS);
          case LogPages.ERRORS -> controller.errors().bytes();
          case LogPages.HEALTH -> LogPages.health(controller.errors().count());
          case LogPages.FIRMWARE -> LogPages.firmware();
          case LogPages.CHANGED_NAMESPACES ->
              LogPages.changedNamespaces(controller.namespaceChanged(keep));
          case LogPages.EFFECTS -> LogPages.effects(ADMIN, READING, WRITING);
          case LogPages.ANA ->
              LogPages.asymmetricAccess(
                  (command.cdw10() & 1 << 8) != 0, path.serves(), path.changes());
          case LogPages.FEATURES -> LogPages.features(Features.all());
          case LogPages.RESERVATIONS -> notices.next(keep);
          default -> throw new RefusedException(Status.INVALID_LOG, "no log " + log);
        };
    byte[] part = AdminPages.part(command, page);
    if (!keep) {
      controller.read(log);
    }
    return part;
  }

  @Override
  public long observed() {
    return volume.device().size();
  }

  @Override
  public void notice() {
    notices.check();
    long changes = path.changes();
    if (changes != changesTold) {
      changesTold = changes;
      controller.happened(Event.ANA);
    }
  }

  @Override
  public Optional<HostReservations> reservations() {
    return Optional.of(reservations);
  }

  @Override
  public void save(Map<String, String> fields) {
    fields.put(NOTICED, String.valueOf(notices.read()));
    fields.put(CHANGES_TOLD, String.valueOf(changesTold));
  }
}
