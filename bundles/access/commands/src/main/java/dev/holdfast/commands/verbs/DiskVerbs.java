package dev.holdfast.commands.verbs;

import dev.holdfast.client.Disks;
import dev.holdfast.client.Scheduling;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SchedulingViews;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.DiskType;
import java.nio.file.Path;
import java.util.List;

/** The verbs {@code disk …}. */
final class DiskVerbs {
  private static final VerbArgument<Path> PATH =
      VerbArgument.of(
          "PATH",
          Path.class,
          Candidates.FILES,
          "The directory, device or volume group on the node, absolute.");
  private static final VerbOption<String> NODE =
      Common.node("The node that has it. Default: the only node.");
  private static final VerbOption<String> NAME =
      VerbOption.of(
          "--name", "ID", String.class, "The disk's name on the node. Default: from the path.");
  private static final VerbOption<String> TAGS =
      VerbOption.of(
              "--tags", "TAG", String.class, "Tags that volumes may ask for, separated by commas.")
          .times(Repetition.LIST);
  private static final VerbOption<Boolean> CREATE =
      VerbOption.flag("--create", "Create the directory on the node if it is missing.");

  private static final VerbOption<DiskType> TYPE =
      VerbOption.of(
          "--type",
          "TYPE",
          DiskType.class,
          "Kind of the disk: directory, device or volume-group. Default: directory. Another one "
              + "must"
              + " be blank.");

  private static final VerbArgument<String> ID =
      VerbArgument.of("ID", String.class, Candidates.DISKS, "The disk's name.");
  private static final VerbOption<String> CARRIER =
      Common.node("The node that has it. Default: the only node with such a disk.");

  private static final VerbOption<Integer> DRAIN_TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "disk add",
              List.of(PATH),
              List.of(NODE, NAME, TAGS, CREATE, TYPE, Common.NO_WAIT, Common.TIMEOUT),
              "Add a directory or another disk, on which a node keeps replicas.",
              DiskVerbs::add),
          new Verb(
              "disk remove",
              List.of(ID),
              List.of(CARRIER),
              "Remove a disk without replicas from its node; its content remains.",
              call ->
                  views(call).diskRemoved(disks(call).remove(call.get(ID), call.value(CARRIER)))),
          new Verb(
              "disk list",
              List.of(),
              List.of(),
              "Show all disks.",
              call -> views(call).disks(disks(call).list())),
          new Verb(
              "disk cordon",
              List.of(ID),
              List.of(CARRIER),
              "Place no new replicas on a disk; its present replicas stay.",
              call ->
                  scheduled()
                      .diskCordoned(
                          scheduling(call).cordonDisk(call.get(ID), call.value(CARRIER)))),
          new Verb(
              "disk uncordon",
              List.of(ID),
              List.of(CARRIER),
              "Permit new replicas on a disk again, also after 'drain'.",
              call ->
                  scheduled()
                      .diskUncordoned(
                          scheduling(call).uncordonDisk(call.get(ID), call.value(CARRIER)))),
          new Verb(
              "disk drain",
              List.of(ID),
              List.of(CARRIER, Common.NO_WAIT, DRAIN_TIMEOUT),
              """
              Move all replicas of a disk to other disks, and wait until none is left.
              Each one is replaced before it goes. 'disk uncordon' ends it.""",
              call ->
                  scheduled()
                      .diskDrained(
                          scheduling(call)
                              .drainDisk(
                                  call.get(ID),
                                  call.value(CARRIER),
                                  call.waiting(!call.has(Common.NO_WAIT), DRAIN_TIMEOUT)))));

  private DiskVerbs() {}

  private static Output add(VerbCall call) throws StorageException {
    Disks.Request request =
        new Disks.Request(
            call.get(PATH),
            call.value(NODE),
            call.value(NAME),
            call.all(TAGS),
            call.has(CREATE),
            call.value(TYPE).orElse(DiskType.DIRECTORY));
    return views(call).diskAdded(disks(call).add(request, call.waiting()));
  }

  private static Disks disks(VerbCall call) throws StorageException {
    return new Disks(call.context().store());
  }

  private static NodeViews views(VerbCall call) {
    return new NodeViews(call.context().clock());
  }

  private static Scheduling scheduling(VerbCall call) throws StorageException {
    return new Scheduling(call.context().store());
  }

  private static SchedulingViews scheduled() {
    return new SchedulingViews();
  }
}
