package dev.holdfast.commands.verbs;

import dev.holdfast.client.SnapshotDiffs;
import dev.holdfast.client.Snapshots;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SnapshotViews;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;

/** The verbs {@code snapshot …}, and the verbs to scrub snapshots. */
final class SnapshotVerbs {
  private static final VerbOption<Boolean> CANCEL =
      VerbOption.flag("--cancel", "Cancel a request that is not done.");

  static final Verb SCRUB =
      new Verb(
          "volume scrub",
          List.of(Common.VOLUME),
          List.of(CANCEL, Common.NO_WAIT, Common.TIMEOUT),
          "Compare the snapshots of a volume with their checksums, and repair.",
          SnapshotVerbs::scrub);

  private static final VerbArgument<String> VOLUME =
      VerbArgument.of("VOLUME", String.class, Candidates.VOLUMES, "The volume's name.");
  private static final VerbArgument<String> NAME =
      VerbArgument.of(
          "NAME", String.class, Candidates.SNAPSHOTS, "The snapshot's name in the volume.");
  private static final VerbArgument<String> NEW =
      VerbArgument.of(
              "NAME",
              String.class,
              Candidates.NONE,
              "The snapshot's name in the volume. Default: from the time.")
          .times(0, 1);
  private static final VerbArgument<String> ENDS =
      VerbArgument.of(
              "[FROM] TO",
              String.class,
              Candidates.SNAPSHOTS,
              "Names of snapshots of the volume, the earlier first.")
          .times(1, 2);
  private static final VerbOption<String> FROM =
      VerbOption.of(
          "--from",
          "FROM",
          String.class,
          Candidates.SNAPSHOTS,
          "The earlier snapshot's name. Default: show the allocated blocks.");
  private static final VerbOption<Integer> DIFF_TIMEOUT =
      VerbOption.seconds("--timeout", 60, "Longest time to wait for the result.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "snapshot create",
              List.of(VOLUME, NEW),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              "Take a snapshot of a volume, and wait until it is taken.",
              call ->
                  views(call)
                      .created(
                          snapshots(call)
                              .create(call.get(VOLUME), call.value(NEW), call.waiting()))),
          new Verb(
              "snapshot list",
              List.of(VOLUME),
              List.of(),
              "Show the snapshots of a volume, each below its parent.",
              call -> views(call).tree(call.get(VOLUME), snapshots(call).list(call.get(VOLUME)))),
          new Verb(
              "snapshot delete",
              List.of(VOLUME, NAME),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              "Remove a snapshot; data that later ones need is kept.",
              SnapshotVerbs::delete),
          new Verb(
              "snapshot revert",
              List.of(VOLUME, NAME),
              List.of(Common.CONFIRM, Common.NO_WAIT, Common.TIMEOUT),
              """
              Make a snapshot the content of its volume, which must be detached.
              The present content is kept in a snapshot of the system.""",
              SnapshotVerbs::revert),
          new Verb(
              "snapshot purge",
              List.of(VOLUME),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              "Remove the snapshots that the system made for its own work.",
              SnapshotVerbs::purge),
          new Verb(
              "snapshot diff",
              List.of(VOLUME, ENDS),
              List.of(FROM, Common.NO_WAIT, DIFF_TIMEOUT),
              """
              Show where a snapshot differs from an earlier one, in bytes.
              Without FROM: the allocated bytes.""",
              SnapshotVerbs::diff));

  private SnapshotVerbs() {}

  private static Output scrub(VerbCall call) throws StorageException {
    String volume = call.get(Common.VOLUME);
    return views(call)
        .scrubbed(
            volume,
            call.has(CANCEL)
                ? snapshots(call).cancelScrub(volume)
                : snapshots(call).scrub(volume, call.waiting()));
  }

  private static Output delete(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    String name = call.get(NAME);
    return views(call).deleted(volume, name, snapshots(call).delete(volume, name, call.waiting()));
  }

  private static Output revert(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    Common.requireConfirmation(
        call, volume, "volume " + volume + " gets the content of snapshot " + call.get(NAME));
    call.context().mounts().requireUnmounted(volume);
    return views(call).reverted(snapshots(call).revert(volume, call.get(NAME), call.waiting()));
  }

  private static Output purge(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    return views(call).purged(volume, snapshots(call).purge(volume, call.waiting()));
  }

  private static Output diff(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    List<String> ends = call.all(ENDS);
    Optional<String> first = ends.size() > 1 ? Optional.of(ends.get(0)) : call.value(FROM);
    if (ends.size() > 1 && call.hasAny(List.of(FROM))) {
      throw new WrongUse("--from names the earlier snapshot: give TO alone with it");
    }
    String to = ends.get(ends.size() - 1);
    return views(call)
        .differing(
            volume,
            first,
            to,
            new SnapshotDiffs(call.context().store(), call.context().clock())
                .diff(volume, first, to, call.waiting(!call.has(Common.NO_WAIT), DIFF_TIMEOUT)));
  }

  private static Snapshots snapshots(VerbCall call) throws StorageException {
    return new Snapshots(call.context().store(), call.context().clock());
  }

  private static SnapshotViews views(VerbCall call) {
    return new SnapshotViews(call.context().clock());
  }
}
