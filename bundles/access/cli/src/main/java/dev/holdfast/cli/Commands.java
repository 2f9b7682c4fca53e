package dev.holdfast.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The commands below the top one. Those that the arguments cannot mean are left out: to read the
 * annotations of all takes time that every command would pay for.
 */
enum Commands {
  VOLUME("volume", VolumeCommand.class),
  SNAPSHOT("snapshot", SnapshotCommand.class),
  TICKET("ticket", TicketCommand.class),
  DISK("disk", DiskCommand.class),
  NODE("node", NodeCommand.class),
  MOUNT("mount", MountCommand.class),
  UMOUNT("umount", UmountCommand.class),
  STATUS("status", StatusCommand.class),
  UPGRADE("upgrade", UpgradeCommand.class),
  KUBECONFIG("kubeconfig", KubeconfigCommand.class);

  /** Asks for what all commands are needed for, or may do so in a file. */
  private static final List<String> ABOUT_ALL = List.of("-h", "--help", "@");

  private final String word;
  private final Class<?> type;

  Commands(String word, Class<?> type) {
    this.word = word;
    this.type = type;
  }

  /** Puts those below the top command that the arguments may mean: all, where they name none. */
  static CommandLine below(CommandLine top, String... arguments) {
    meant(arguments).forEach(command -> top.addSubcommand(command.word, command.type));
    return top;
  }

  // A word may also be the value of an option or a name: then one more command is there, unused.
  private static List<Commands> meant(String... arguments) {
    List<String> words = Arrays.asList(arguments);
    List<Commands> named =
        Stream.of(values()).filter(command -> words.contains(command.word)).toList();
    boolean all =
        named.isEmpty() || words.stream().anyMatch(w -> ABOUT_ALL.stream().anyMatch(w::startsWith));
    return all ? List.of(values()) : named;
  }
}
