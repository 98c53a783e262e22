import CAvahi
import CAvahiCore
import Reactor

/// The functions of libavahi-client.
func loadAvahiClient() -> AvahiClientFunctions? { unsafe loadedTable(avahi_client_functions_load) }

/// The functions of libavahi-core.
func loadAvahiCore() -> AvahiCoreFunctions? { unsafe loadedTable(avahi_core_functions_load) }
