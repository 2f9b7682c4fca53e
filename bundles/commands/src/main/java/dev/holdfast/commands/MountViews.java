package dev.holdfast.commands;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** How mounts are shown. */
public final class MountViews {
  private final JsonMapper mapper = JsonMapper.builder().build();

  /** A volume was mounted. */
  public Output mounted(Mounted mounted) {
    return new Output(
        () ->
            "volume "
                + mounted.volume()
                + " is mounted on "
                + mounted.directory()
                + " ("
                + mounted.filesystem()
                + " on "
                + mounted.device()
                + ")",
        () -> mapper.valueToTree(mounted));
  }

  /** A volume was unmounted. */
  public Output unmounted(Mounted mounted) {
    return new Output(
        () -> "volume " + mounted.volume() + " is no longer mounted on " + mounted.directory(),
        () -> mapper.valueToTree(mounted));
  }

  /** All mounts of this host. */
  public Output mounts(List<Mounted> mounts) {
    return new Output(
        () -> {
          Table table = new Table("VOLUME", "DIRECTORY", "FILESYSTEM", "DEVICE");
          mounts.forEach(m -> table.row(m.volume(), m.directory(), m.filesystem(), m.device()));
          return table.orIfEmpty("Nothing is mounted. Try: holdfast mount NAME DIRECTORY");
        },
        () -> {
          ObjectNode list = mapper.createObjectNode();
          ArrayNode items = list.putArray("items");
          mounts.forEach(mounted -> items.add(mapper.<ObjectNode>valueToTree(mounted)));
          return list;
        });
  }
}
