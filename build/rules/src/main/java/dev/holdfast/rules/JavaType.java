package dev.holdfast.rules;

import java.util.Set;

/**
 * A top-level type of a source file.
 *
 * @param supertypes simple names of the types that it extends and implements
 * @param methods the methods that an interface declares, without static and private ones
 * @param furtherConstructors public constructors of a record beside the canonical one
 */
record JavaType(
    String name,
    Form form,
    boolean isPublic,
    boolean isAbstract,
    Set<String> supertypes,
    int methods,
    int furtherConstructors) {

  enum Form {
    CLASS,
    INTERFACE,
    RECORD,
    OTHER
  }

  boolean isConcreteClass() {
    return (form == Form.CLASS || form == Form.RECORD) && !isAbstract;
  }
}
