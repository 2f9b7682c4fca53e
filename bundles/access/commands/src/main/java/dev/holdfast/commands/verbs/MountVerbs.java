package dev.holdfast.commands.verbs;

import dev.holdfast.client.Waiting;
import dev.holdfast.commands.MountViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.mounts.MountRequest;
import dev.holdfast.mounts.Mounts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The verbs {@code mount} and {@code umount}. */
final class MountVerbs {
  private static final VerbArgument<String> NAME = Common.VOLUME.times(0, 1);
  private static final VerbArgument<Path> DIRECTORY =
      VerbArgument.of(
              "DIR",
              Path.class,
              Candidates.FILES,
              "Directory to mount it on; created when it is missing.")
          .times(0, 1);
  private static final VerbOption<String> FILESYSTEM =
      VerbOption.of(
          "--fs",
          "FS",
          String.class,
          Candidates.FILESYSTEMS,
          "The filesystem to make on an empty volume, ext4 (default) or xfs.");
  private static final VerbOption<String> NODE = Common.node("The node to attach it to.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 60, "Longest time to wait for the attachment.");
  private static final VerbOption<Boolean> PERSIST =
      VerbOption.flag("--persist", "Mount it again after a reboot, by 'holdfast mount --restore'.");
  private static final VerbOption<Boolean> RESTORE =
      VerbOption.flag(
          "--restore", "Wait for the node, then mount again all that was mounted with --persist.");

  static final Verb MOUNT =
      new Verb(
          "mount",
          List.of(NAME, DIRECTORY),
          List.of(FILESYSTEM, NODE, Common.NO_WAIT, TIMEOUT, PERSIST, RESTORE),
          """
          Mount a volume on this host: attach it, connect it, and mount its filesystem.
          An empty volume gets a filesystem; anything else on it is left as it is.
          Without arguments, show what is mounted.""",
          MountVerbs::mount);

  private static final VerbArgument<String> PLACE =
      VerbArgument.of(
              "NAME|DIR",
              String.class,
              Candidates.VOLUMES,
              "Name of the volume, or its mount directory.")
          .times(0, 1);
  private static final VerbOption<Boolean> PERSISTENT =
      VerbOption.flag(
          "--persistent",
          "Unmount all that was mounted with --persist, until 'holdfast mount --restore'; the"
              + " volumes stay attached.");

  static final Verb UMOUNT =
      new Verb(
          "umount",
          List.of(PLACE),
          List.of(PERSISTENT, Common.NO_WAIT, Common.TIMEOUT),
          "Unmount a volume, disconnect it, and detach it if mounting attached it.",
          MountVerbs::umount);

  private MountVerbs() {}

  private static Output mount(VerbCall call) throws StorageException {
    MountViews views = new MountViews();
    if (call.has(RESTORE)) {
      return restore(call, views);
    }
    Optional<String> name = call.value(NAME);
    if (name.isEmpty()) {
      return views.mounts(call.context().mounts().list());
    }
    Path where =
        call.value(DIRECTORY)
            .orElseThrow(
                () -> new WrongUse("DIR is missing: name the directory on which it is mounted"));
    MountRequest request =
        new MountRequest(
            name.get(),
            where.toAbsolutePath(),
            filesystem(call.value(FILESYSTEM)),
            call.value(NODE),
            call.has(PERSIST));
    Waiting waiting = call.waiting(!call.has(Common.NO_WAIT), TIMEOUT);
    return views.mounted(call.context().mounts().mount(request, waiting));
  }

  private static Output restore(VerbCall call, MountViews views) throws StorageException {
    if (call.hasAny(List.of(NAME, FILESYSTEM, NODE, PERSIST))) {
      throw new WrongUse("--restore takes no NAME, no DIR and no option but --timeout");
    }
    Waiting waiting = call.waiting(true, TIMEOUT);
    call.context().awaitNode(waiting.timeout());
    return views.restored(call.context().mounts().restore(call::report, waiting));
  }

  private static Optional<Filesystem> filesystem(Optional<String> text) throws WrongUse {
    Optional<Filesystem> known = text.flatMap(Filesystem::named);
    if (text.isPresent() && known.isEmpty()) {
      throw new WrongUse("--fs must be one of " + Filesystem.names());
    }
    return known;
  }

  private static Output umount(VerbCall call) throws StorageException {
    MountViews views = new MountViews();
    Optional<String> place = call.value(PLACE);
    if (call.has(PERSISTENT) == place.isPresent()) {
      throw new WrongUse("give either NAME or DIR, or --persistent");
    }
    Mounts mounts = call.context().mounts();
    return place.isPresent()
        ? views.unmounted(mounts.unmount(place.get(), call.waiting()))
        : views.suspended(mounts.suspend(call::report));
  }
}
