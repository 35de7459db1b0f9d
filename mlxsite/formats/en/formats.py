"""How the admin pages write times: sortable, and with their zone."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i e"
