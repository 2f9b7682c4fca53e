package dev.holdfast.host;

/**
 * State of a device of the device mapper.
 *
 * @param name of the device
 * @param uuid UUID from its creation; empty for none
 * @param number major and minor number, such as {@code 254:3}
 * @param suspended whether its requests wait
 * @param liveTable whether it has a table that serves requests
 * @param inactiveTable whether a table is loaded for the next resume
 * @param openCount number of programs and other devices that use it
 */
public record MappedDevice(
    String name,
    String uuid,
    String number,
    boolean suspended,
    boolean liveTable,
    boolean inactiveTable,
    int openCount) {
  /** Returns its path. */
  public String path() {
    return "/dev/mapper/" + name;
  }
}
